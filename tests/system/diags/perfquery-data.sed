# What a port carries while the test runs.
s/^((Port(Unicast)?(Xmit|Rcv)(Data|Pkts)):\.+)[0-9]+$/\1N/
