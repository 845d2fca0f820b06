# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibtop-screen.py - runs ibtop on a terminal of its own and types.
#   ibtop-screen.py SIM NAME IBTOP [COMMAND-THAT-CHANGES-THE-FABRIC...]
# A line "ok TEXT" or "not ok TEXT" for each thing that is looked at.
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time

sim, name, ibtop, change = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]

def size(fd, lines, columns):
	fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))

class Run:
	def __init__(self, lines, columns, *arguments):
		self.out = ''
		self.fd, self.slave = pty.openpty()
		size(self.fd, lines, columns)
		self.before = termios.tcgetattr(self.slave)
		self.process = subprocess.Popen([sim, 'exec', '--name', name, '--node', 'host-0', '--', ibtop, '--live', *arguments],
			stdin=self.slave, stdout=self.slave, stderr=self.slave, preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))

	def read(self, seconds):
		if select.select([self.fd], [], [], seconds)[0]:
			try:
				self.out += os.read(self.fd, 65536).decode('utf-8', 'replace')
			except OSError:
				return False
		return True

	# The text of the last screen that is drawn whole: up to its line of keys.
	def screen(self):
		whole = [s for s in self.out.split('\033[H\033[J') if 'q)uit' in s]
		return re.sub('\033\\[[0-9;?]*[a-zA-Z]', '', whole[-1]).replace('\r', '') if whole else ''

	def until(self, test, seconds=20):
		end = time.time() + seconds
		while time.time() < end:
			if test(self.screen()):
				return True
			if not self.read(0.1):
				break
		return test(self.screen())

	def type(self, keys):
		os.write(self.fd, keys.encode())

	def signal(self, number):
		os.killpg(self.process.pid, number)

	def end(self):
		limit = time.time() + 20
		while self.process.poll() is None and time.time() < limit:
			self.read(0.1)
		while select.select([self.fd], [], [], 0)[0] and self.read(0):
			pass
		if self.process.poll() is None:
			self.process.kill()
			return 'does not end'
		return self.process.wait()

	def restored(self):
		after = self.out.rfind('\033[?1049l')
		return termios.tcgetattr(self.slave) == self.before and after > self.out.rfind('\033[?1049h') and \
			self.out.rfind('\033[?25h') > self.out.rfind('\033[?25l') and self.out.rfind('\033[?7h') > self.out.rfind('\033[?7l')

def tell(good, text, run):
	print(('ok ' if good else 'not ok ') + text)
	if not good:
		print('# ' + repr(run.out[-600:]))

r = Run(24, 160, '-i', '0.3', '--rediscover', '0.5')
tell(r.until(lambda s: s.count('\n') == 22 and 'by busy' in s), 'draws what fits 24 lines', r)
r.type('e')
tell(r.until(lambda s: 'by errors' in s), 'sorts by errors', r)
r.type('n')
tell(r.until(lambda s: 'by name' in s and 'agg-0-0:1 ' in s.split('\n')[3]), 'sorts by names', r)
size(r.fd, 12, 100)
r.signal(signal.SIGWINCH)
tell(r.until(lambda s: s.count('\n') == 10), 'draws anew when the terminal has another size', r)
size(r.fd, 40, 160)
r.signal(signal.SIGWINCH)
tell(r.until(lambda s: s.count('\n') == 38), 'and when it grows', r)
subprocess.run([*change, 'pull', 'leaf-2-0:3'], check=True, stdout=subprocess.DEVNULL)
tell(r.until(lambda s: re.search('changed .* gone .*leaf-2-0:3', s)), 'shows a cable that went', r)
subprocess.run([*change, 'plug', 'leaf-2-0:3', 'agg-2-0:1'], check=True, stdout=subprocess.DEVNULL)
tell(r.until(lambda s: re.search('changed .* new .*leaf-2-0:3', s)), 'and when it is back', r)
mark = len(r.out)
r.type('\x1a')
end = time.time() + 10
while '\033[?1049l' not in r.out[mark:] and time.time() < end:
	r.read(0.1)
time.sleep(0.3)
stopped = '\033[?1049l' in r.out[mark:] and termios.tcgetattr(r.slave) == r.before
r.signal(signal.SIGCONT)
end = time.time() + 10
while '\033[?1049h' not in r.out[mark:] and time.time() < end:
	r.read(0.1)
tell(stopped and '\033[?1049h' in r.out[mark:], 'gives the terminal back while it is stopped', r)
r.type('q')
tell(r.end() == 0 and r.restored(), 'q ends it, and the terminal is as it was', r)

r = Run(24, 80, '-i', '0.3')
r.until(lambda s: 'by busy' in s)
r.type('\x03')
tell(r.end() == 0 and r.restored(), '^C ends it, and the terminal is as it was', r)

# Two signals, the second when nothing goes on: a sample that waits for mute nodes.
r = Run(24, 80, '-i', '60')
time.sleep(1)
os.kill(r.process.pid, signal.SIGTERM)
tell(r.end() == 0 and r.restored(), 'TERM ends it while it waits', r)
