"""
Runs a command with its output on standard error, and prints its elapsed seconds and the processor seconds of all its processes as JSON, also
of those that outlive their parents: `python measured.py COMMAND…`. Requires Linux.
"""

import ctypes
import json
import os
import resource
import sys
import time

PR_SET_CHILD_SUBREAPER = 36

if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
    sys.exit("prctl failed")
start = time.monotonic()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)])
_, status = os.waitpid(child, 0)
elapsed = time.monotonic() - start
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"elapsed": elapsed, "processor": used.ru_utime + used.ru_stime}))
sys.exit(os.waitstatus_to_exitcode(status))
