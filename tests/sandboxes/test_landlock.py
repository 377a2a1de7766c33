"""The Landlock sandbox, with and without namespaces: each promise against an attack."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proctor.sandboxes.landlock import LandlockSandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

TRY = """
import errno, os, signal, socket, sys
def attempt(name, action):
    try:
        value = action()
    except OSError as error:
        print(name, errno.errorcode[error.errno])
    else:
        print(name, "done", value if isinstance(value, (bytes, str)) else "")
def write(path):
    with open(path, "a") as file:
        file.write("x")
def read(path):
    with open(path, "rb") as file:
        return file.read(100)
"""
REFUSED = {"EACCES", "EPERM", "EROFS", "ENOENT", "EXDEV", "ENOSYS", "ESRCH", "ECONNREFUSED", "ENETUNREACH"}


@pytest.fixture(params=[True, False], ids=["namespaces", "alone"])
def sandbox(request: pytest.FixtureRequest) -> LandlockSandbox:
    return LandlockSandbox(namespaces=request.param)


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the host that nothing in a sandbox may touch."""
    process = subprocess.Popen(["sleep", "1000"], env={"BYSTANDER": "secret"})
    yield process
    assert process.poll() is None
    process.kill()
    process.wait()


def has_namespaces(sandbox: LandlockSandbox) -> bool:
    return "pid namespace" in sandbox.probe().enforced


def answers(text: str) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in text.splitlines())


def test_the_project_and_a_private_temporary_directory_can_be_written(
    bench: "Bench", sandbox: LandlockSandbox
) -> None:
    program = (
        TRY
        + """
import tempfile
os.mkdir("made"); write("made/file"); os.rename("made/file", "moved"); os.symlink("moved", "link")
os.truncate("moved", 0); os.remove("link"); write("moved")
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
write("/dev/null")
"""
    )
    outcome = bench.run(sandbox, bench.python(program))
    assert (outcome.stderr, outcome.exit.exit_code) == ("", 0)
    assert (bench.project / "moved").read_text() == "x"


def test_nothing_else_can_be_changed(bench: "Bench", sandbox: LandlockSandbox, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("kept")
    (bench.project / "link").symlink_to(tmp_path / "outside")
    program = (
        TRY
        + """
outside = sys.argv[1]
attempt("write", lambda: write(outside + "/outside"))
attempt("link", lambda: write("link"))
attempt("truncate", lambda: os.truncate("link", 0))
attempt("make", lambda: write(outside + "/new"))
attempt("remove", lambda: os.remove(outside + "/outside"))
attempt("rename", lambda: os.rename(outside + "/outside", "stolen"))
attempt("hardlink", lambda: os.link("/etc/passwd", "hard"))
attempt("etc", lambda: write("/etc/passwd"))
attempt("sysctl", lambda: write("/proc/sys/kernel/hostname"))
attempt("sysrq", lambda: write("/proc/sysrq-trigger"))
attempt("cgroup", lambda: os.mkdir("/sys/fs/cgroup/memory/escape"))
attempt("device", lambda: os.mknod("device", 0o600 | 0o20000, os.makedev(1, 1)))
"""
    )
    said = answers(bench.run(sandbox, bench.python(program, str(tmp_path))).stdout)
    system = ("hardlink", "etc", "sysctl", "sysrq", "cgroup", "device")
    assert {said[name] for name in system} <= REFUSED, said
    # What lies in the host's /tmp may seem to change: behind namespaces the command has its own.
    assert (tmp_path / "outside").read_text() == "kept"
    assert not (tmp_path / "new").exists()


def test_hidden_files_and_the_channel_cannot_be_read_by_any_name(
    bench: "Bench", sandbox: LandlockSandbox, tmp_path: Path
) -> None:
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "key").write_text("sesame")
    (tmp_path / "token").write_text("sesame")
    bench.channel.write_text("sesame")
    (bench.project / "link").symlink_to(secrets)
    (bench.project / "inside").write_text("sesame")
    (bench.project / "sub").mkdir()
    hidden = (str(secrets), str(tmp_path / "token"), str(bench.project / "inside"))
    program = (
        TRY
        + """
for number, path in enumerate(sys.argv[1:]):
    attempt(number, lambda: read(path))
    attempt(f"root{number}", lambda: read("/proc/self/root" + os.path.abspath(path)))
    attempt(f"link{number}", lambda: os.link(path, f"copy{number}"))
    attempt(f"copy{number}", lambda: read(f"copy{number}"))
    attempt(f"move{number}", lambda: os.rename(path, f"sub/moved{number}"))
    attempt(f"moved{number}", lambda: read(f"sub/moved{number}"))
"""
    )
    paths = (str(secrets / "key"), "link/key", str(tmp_path / "token"), str(bench.channel), "inside")
    outcome = bench.run(sandbox, bench.python(program, *paths, hidden=hidden))
    assert "sesame" not in outcome.stdout
    assert len(outcome.stdout.splitlines()) == 6 * len(paths)


def test_read_only_paths_hold_or_their_change_is_told(bench: "Bench", sandbox: LandlockSandbox) -> None:
    config, hooks = bench.project / ".git" / "config", bench.project / ".git" / "hooks"
    hooks.mkdir(parents=True)
    config.write_text("kept")
    tools = bench.project / "deep" / "tools"
    tools.mkdir(parents=True)
    readonly = tuple(map(str, (config, hooks, tools)))
    program = (
        TRY
        + """
attempt("write", lambda: write(".git/config"))
attempt("hook", lambda: write(".git/hooks/post-commit"))
attempt("replace", lambda: (write("new"), os.rename("new", ".git/config")))
attempt("rename", lambda: os.rename(".git", "git"))
attempt("deep", lambda: os.rename("deep", "shallow"))
"""
    )
    outcome = bench.run(sandbox, bench.python(program, readonly=readonly))
    if has_namespaces(sandbox):
        assert set(answers(outcome.stdout).values()) <= REFUSED | {"EBUSY"}, outcome.stdout
        assert config.read_text() == "kept"
        assert outcome.exit.tampered == ()
    else:
        assert set(outcome.exit.tampered) == set(readonly)
        assert "read-only paths (only watched): config, hooks, tools" in outcome.report.unavailable


def test_untouched_read_only_paths_are_not_called_tampered(bench: "Bench", sandbox: LandlockSandbox) -> None:
    (bench.project / ".git").mkdir()
    (bench.project / ".git" / "config").write_text("kept")
    program = TRY + "read('.git/config'); os.listdir('.git'); write('other')"
    readonly = (str(bench.project / ".git"), str(bench.project / ".vscode"))
    outcome = bench.run(sandbox, bench.python(program, readonly=readonly))
    assert (outcome.exit.exit_code, outcome.exit.tampered) == (0, ())


def test_a_forbidden_path_that_is_missing_is_not_made_unnoticed(
    bench: "Bench", sandbox: LandlockSandbox
) -> None:
    place = bench.project / ".vscode"
    program = (
        TRY + "os.makedirs('.vscode', exist_ok=True); attempt('write', lambda: write('.vscode/tasks.json'))"
    )
    outcome = bench.run(sandbox, bench.python(program, readonly=(str(place),)))
    assert not place.exists() or outcome.exit.tampered == (str(place),)


def test_no_network_is_reached(bench: "Bench", sandbox: LandlockSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.1", 0))
        datagrams.setblocking(False)
        server.setblocking(False)
        program = (
            TRY
            + """
tcp, udp = map(int, sys.argv[1:])
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", tcp), 5))
attempt("fast", lambda: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", tcp)))
attempt("mptcp", lambda: socket.socket(proto=262).connect(("127.0.0.1", tcp)))
attempt("udp", lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", udp)))
attempt("metadata", lambda: socket.create_connection(("169.254.169.254", 80), 5))
attempt("raw", lambda: socket.socket(type=socket.SOCK_RAW, proto=1))
attempt("packet", lambda: socket.socket(socket.AF_PACKET))
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK))
"""
        )
        ports = (str(server.getsockname()[1]), str(datagrams.getsockname()[1]))
        outcome = bench.run(sandbox, bench.python(program, *ports))
        assert len(answers(outcome.stdout)) == 8, outcome.stderr
        for receive in (server.accept, lambda: datagrams.recv(10)):
            with pytest.raises(BlockingIOError):
                receive()
    assert "network off" in outcome.report.enforced


def test_the_network_is_there_when_allowed(bench: "Bench", sandbox: LandlockSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = TRY + "attempt('tcp', lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5))"
        job = bench.python(program, str(server.getsockname()[1]), network=True)
        outcome = bench.run(sandbox, job)
    assert outcome.stdout == "tcp done"
    assert "network off" not in outcome.report.enforced


def test_local_servers_work_inside_namespaces(bench: "Bench", sandbox: LandlockSandbox) -> None:
    program = (
        TRY
        + """
def talk():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
attempt("loopback", talk)
"""
    )
    outcome = bench.run(sandbox, bench.python(program))
    assert (outcome.stdout == "loopback done") == ("own loopback" in outcome.report.enforced)
    assert has_namespaces(sandbox) == ("own loopback" in outcome.report.enforced)


@pytest.mark.parametrize("network", [False, True])
def test_unix_sockets_of_the_host_cannot_be_reached(
    bench: "Bench", sandbox: LandlockSandbox, tmp_path: Path, network: bool
) -> None:
    path, abstract = str(tmp_path / "socket"), f"proctor-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as unnamed:
        for server, address in ((named, path), (unnamed, "\0" + abstract)):
            server.bind(address)
            server.listen()
            server.setblocking(False)
        program = (
            TRY
            + """
attempt("named", lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[1]))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + sys.argv[2]))
left, right = socket.socketpair()
left.send(b"pairs work")
attempt("pair", lambda: right.recv(20).decode())
"""
        )
        outcome = bench.run(sandbox, bench.python(program, path, abstract, network=network))
        for server in (named, unnamed):
            with pytest.raises(BlockingIOError):
                server.accept()
    assert outcome.stdout.endswith("pair done pairs work"), outcome.stderr


def test_processes_of_the_host_cannot_be_signalled_traced_or_read(
    bench: "Bench", sandbox: LandlockSandbox, bystander: "subprocess.Popen[bytes]"
) -> None:
    program = (
        TRY
        + """
import ctypes
def trace(pid):
    if ctypes.CDLL(None, use_errno=True).ptrace(16, pid, 0, 0):
        raise OSError(ctypes.get_errno(), "ptrace")
for pid in map(int, sys.argv[1:]):
    attempt(f"kill{pid}", lambda: os.kill(pid, signal.SIGKILL))
    attempt(f"stop{pid}", lambda: os.kill(pid, signal.SIGSTOP))
    attempt(f"trace{pid}", lambda: trace(pid))
    for name in ("environ", "mem", "maps"):
        attempt(f"{name}{pid}", lambda: read(f"/proc/{pid}/{name}"))
    attempt(f"root{pid}", lambda: str(os.listdir(f"/proc/{pid}/root")))
    attempt(f"fd{pid}", lambda: os.readlink(f"/proc/{pid}/fd/0"))
"""
    )
    pids = (str(bystander.pid), str(os.getpid()))
    outcome = bench.run(sandbox, bench.python(program, *pids))
    said = answers(outcome.stdout)
    assert len(said) == 16, outcome.stderr
    assert set(said.values()) <= REFUSED, said


def test_a_signal_to_everybody_reaches_nobody_else(
    bench: "Bench", sandbox: LandlockSandbox, bystander: "subprocess.Popen[bytes]"
) -> None:
    program = (
        TRY
        + """
attempt("parent", lambda: os.kill(os.getppid() or 1, signal.SIGKILL))
attempt("all", lambda: os.kill(-1, signal.SIGKILL))
print("alive")
"""
    )
    outcome = bench.run(sandbox, bench.python(program))
    assert outcome.exit.exit_code == 0 or outcome.exit.signal == signal.SIGKILL
    assert bystander.poll() is None


def test_no_privilege_is_left_or_to_be_had(bench: "Bench", sandbox: LandlockSandbox) -> None:
    program = (
        TRY
        + """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
with open("/proc/self/status") as file:
    status = dict(line.rstrip("\\n").split(":\\t", 1) for line in file if ":\\t" in line)
print(*(status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")))
attempt("mount", lambda: call("mount", b"none", b"/mnt", b"tmpfs", 0, None))
attempt("umount", lambda: call("umount2", b"/tmp", 2))
attempt("users", lambda: call("unshare", 0x10000000))
attempt("chroot", lambda: os.chroot("."))
attempt("chown", lambda: os.chown(".", 12345, 12345))
attempt("setuid", lambda: os.setuid(12345 if os.getuid() == 0 else 0))
"""
    )
    first, *rest = bench.run(sandbox, bench.python(program)).stdout.splitlines()
    assert first == " ".join(["0" * 16] * 5 + ["1", "2"])
    assert set(answers("\n".join(rest)).values()) <= REFUSED


def test_a_daemon_dies_with_the_command(bench: "Bench", sandbox: LandlockSandbox) -> None:
    marker = f"proctor-daemon-{os.getpid()}-{bench.project.parent.parent.name}"
    program = (
        TRY
        + """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.execv("/bin/sh", [sys.argv[1], "-c", "echo > started; while :; do sleep 1000; done"])
    os._exit(0)
while not os.path.exists("started"):
    pass
"""
    )
    outcome = bench.run(sandbox, bench.python(program, marker))
    assert outcome.exit.exit_code == 0
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [line for line in lines if line.startswith(marker.encode())]


def test_exit_code_and_signal_are_exact(bench: "Bench", sandbox: LandlockSandbox) -> None:
    assert bench.run(sandbox, bench.python("raise SystemExit(200)")).exit.exit_code == 200
    ended = bench.run(sandbox, bench.python("import os; os.kill(os.getpid(), 15)")).exit
    assert (ended.exit_code, ended.signal) == (None, 15)


def test_a_link_left_in_the_project_by_an_earlier_run_widens_nothing(
    bench: "Bench", sandbox: LandlockSandbox, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (bench.project / "build").symlink_to(outside)
    job = bench.python(TRY + "attempt('write', lambda: write('build/file'))")
    policy = type(job.policy)(writable=(str(bench.project), str(bench.project / "build")))
    bench.run(
        sandbox,
        type(job)(**{name: getattr(job, name) for name in job.__struct_fields__} | {"policy": policy}),
    )
    assert list(outside.iterdir()) == []


ELSEWHERE = """
import os, sys
from proctor.model.errors import ProctorError
from proctor.sandboxes.keeper_calls import load_filter, refuse_new_privileges
from proctor.sandboxes.libseccomp import ALLOW, KILL_PROCESS, EQ, Arg, SystemCallFilter, refusal
from proctor.sandboxes.landlock import LandlockSandbox
from proctor.model.plan import Command, Job, Limits, Policy
from proctor.sandboxes import seccomp
root, refused, index, value = sys.argv[1:]
seccomp.program()
if refused:
    rules = SystemCallFilter(ALLOW, KILL_PROCESS)
    conditions = [Arg(int(index), EQ, int(value))] if index else []
    rules.add(refusal(38 if refused.startswith("landlock") else 1), refused, *conditions)
    refuse_new_privileges()
    load_filter(rules.compile())
script = "echo ran; echo x > made; echo y > /etc/proctor-escape; id -u"
job = Job(command=Command(argv=("/bin/sh", "-c", script), cwd=root), environment={"PATH": "/usr/bin:/bin"},
          policy=Policy(writable=(root,)), limits=Limits(), scratch=root)
try:
    process, report = LandlockSandbox().start(job)
except ProctorError as error:
    print(error.code, error.message, error.hint)
else:
    import anyio
    print(anyio.run(process.wait).exit_code, os.read(process.stdout, 1000).split(), report)
    process.close()
"""


def elsewhere(root: Path, *arguments: str, wrapper: tuple[str, ...] = ()) -> str:
    """Run the sandbox in a Proctor whose kernel refuses a system call, or that another program starts."""
    command = [*wrapper, sys.executable, "-c", ELSEWHERE, str(root), *(arguments or ("", "", ""))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd="/")
    assert done.stderr == ""
    return done.stdout


def test_without_landlock_in_the_kernel_nothing_is_run(bench: "Bench") -> None:
    said = elsewhere(bench.project, "landlock_create_ruleset", "", "")
    assert said.startswith("sandbox_unavailable This kernel offers no Landlock.")
    assert "--sandbox off" in said
    assert not (bench.project / "made").exists()


def test_without_a_system_call_filter_nothing_is_run(bench: "Bench") -> None:
    assert elsewhere(bench.project, "prctl", "0", "22").startswith("sandbox_unavailable")
    assert not (bench.project / "made").exists()


def test_without_namespaces_it_says_so_and_still_protects(bench: "Bench") -> None:
    said = elsewhere(bench.project, "unshare", "", "")
    assert said.startswith("0 [b'ran'")
    assert "pid namespace ([Errno 1]" in said
    assert (bench.project / "made").exists()
    assert not Path("/etc/proctor-escape").exists()


def test_an_ordinary_user_is_protected_too(bench: "Bench", ordinary_user: tuple[str, ...]) -> None:
    said = elsewhere(bench.project, wrapper=ordinary_user)
    assert said.startswith(f"0 [b'ran', b'{bench.project.stat().st_uid}']"), said
    assert "'pid namespace'" in said
    assert (bench.project / "made").exists()
    assert not Path("/etc/proctor-escape").exists()


@pytest.mark.usefixtures("ordinary_user")
def test_root_runs_the_project_of_another_user_as_that_user(bench: "Bench", sandbox: LandlockSandbox) -> None:
    owner = bench.project.stat().st_uid
    outcome = bench.run(sandbox, bench.job("/bin/sh", "-c", "id -u; echo > made"))
    assert outcome.stdout == str(owner), outcome
    assert (bench.project / "made").stat().st_uid == owner
