"""Ways out of a sandbox, each tried: the attempt fails and the host is as it was."""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proctor.ports import Sandbox

if TYPE_CHECKING:
    from tests.conftest import Bench

Assault = Callable[..., dict[str, str]]

REFUSALS = {"EACCES", "EPERM", "EROFS", "ENOENT", "EXDEV", "ENOSYS", "ENOTDIR", "EBUSY", "ELOOP"}
UNREACHABLE = REFUSALS | {"ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ENXIO"}


def assert_refused(said: dict[str, str], allowed: set[str] = REFUSALS) -> None:
    assert said
    assert {name: word for name, word in said.items() if word not in allowed} == {}


# Files


def test_links_and_dots_lead_to_nothing_writable(bench: "Bench", assault: Assault, outside: Path) -> None:
    (outside / "kept").write_text("kept")
    said = assault(
        """
outside = sys.argv[1]
os.symlink(outside, "directory-link")
os.symlink(outside + "/kept", "file-link")
attempt("plain", lambda: write(outside + "/new"))
attempt("existing", lambda: write(outside + "/kept"))
attempt("dots", lambda: write("../../../../../../.." + outside + "/new"))
attempt("link", lambda: write("file-link"))
attempt("truncate", lambda: os.truncate("file-link", 0))
attempt("through", lambda: write("directory-link/new"))
attempt("hardlink", lambda: os.link(outside + "/kept", "hard"))
attempt("rename-in", lambda: os.rename(outside + "/kept", "stolen"))
attempt("rename-out", lambda: os.rename("file-link", outside + "/moved"))
attempt("remove", lambda: os.remove(outside + "/kept"))
attempt("mode", lambda: os.chmod(outside + "/kept", 0o777))
attempt("owner", lambda: os.chown(outside + "/kept", 1, 1))
attempt("times", lambda: os.utime(outside + "/kept"))
attempt("attribute", lambda: os.setxattr(outside + "/kept", "user.x", b"x"))
attempt("proc-root", lambda: write("/proc/self/root" + outside + "/new"))
attempt("system", lambda: write("/etc/passwd"))
attempt("cron", lambda: write("/etc/cron.d/evil"))
""",
        str(outside),
    )
    assert_refused(said)
    assert sorted(each.name for each in outside.iterdir()) == ["kept"]
    assert (outside / "kept").read_text() == "kept"


def test_a_project_behind_a_link_is_no_wider_than_its_target(
    bench: "Bench", sandbox: Sandbox, outside: Path
) -> None:
    (outside / "real").mkdir()
    (outside / "beside").write_text("kept")
    bench.project.rmdir()
    bench.project.symlink_to(outside / "real")
    program = f"""
import os
open("made", "w").close()
for path in ({str(outside)!r} + "/beside", "../beside", {str(outside)!r} + "/new"):
    try:
        open(path, "a").close()
        print("wrote", path)
    except OSError:
        pass
"""
    outcome = bench.run(sandbox, bench.python(program))
    assert (outcome.stdout, outcome.exit.exit_code) == ("", 0)
    assert (outside / "real" / "made").exists()
    assert not (outside / "new").exists()


def test_the_kernels_switches_cannot_be_turned(assault: Assault) -> None:
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    said = assault("""
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory",
             "/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity",
             "/proc/1/oom_score_adj", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/power/state",
             "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/release_agent"):
    attempt(path, lambda: write(path))
attempt("cgroup", lambda: os.mkdir("/sys/fs/cgroup/pids/escape"))
""")
    assert_refused({name: word for name, word in said.items() if name != "/proc/1/oom_score_adj"})
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


def test_secrets_cannot_be_read_by_any_name(assault: Assault, outside: Path) -> None:
    (outside / "keys").mkdir()
    (outside / "keys" / "id").write_text("top-secret")
    (outside / "token").write_text("top-secret")
    (outside / "alias").symlink_to(outside / "keys")
    said = assault(
        """
def grab(path):
    return read(path).decode() or "empty"
outside = sys.argv[1]
for path in ("/keys/id", "/alias/id", "/token", "/keys/../token", "/keys/../keys/id"):
    attempt(path, lambda: grab(outside + path))
    attempt("root" + path, lambda: grab("/proc/self/root" + outside + path))
    attempt("first" + path, lambda: grab("/proc/1/root" + outside + path))
attempt("link", lambda: (os.link(outside + "/token", "stolen"), grab("stolen"))[1])
""",
        str(outside),
        hidden=(str(outside / "alias"), str(outside / "token"), str(outside / "missing")),
    )
    assert_refused(said, REFUSALS | {"done empty"})


def test_the_channel_cannot_be_reached_by_name(bench: "Bench", assault: Assault) -> None:
    bench.channel.write_text("kept\n")
    said = assault(
        """
channel = sys.argv[1]
def shown(path):
    return read(path).decode() or "empty"
attempt("read", lambda: shown(channel))
attempt("write", lambda: write(channel))
attempt("remove", lambda: os.remove(channel))
attempt("replace", lambda: os.rename("/etc/hostname", channel))
os.write(int(os.environ["PROCTOR_CHANNEL"]), b"told\\n")
""",
        str(bench.channel),
    )
    assert_refused(said, REFUSALS | {"done empty"})
    assert bench.channel.read_text() == "kept\ntold\n"


def test_what_the_host_runs_later_stays_as_it_was(bench: "Bench", assault: Assault) -> None:
    names = (
        ".git/config",
        ".git/hooks/pre-commit",
        ".venv/pyvenv.cfg",
        ".venv/lib/site/x.pth",
        ".vscode/t.json",
    )
    for name in names:
        (bench.project / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.project / name).write_text("kept")
    protected = (".git/config", ".git/hooks", ".venv/pyvenv.cfg", ".venv/lib/site", ".vscode")
    said = assault(
        """
for name in (".git/config", ".git/hooks/pre-commit", ".venv/pyvenv.cfg", ".venv/lib/site/x.pth",
             ".vscode/t.json"):
    attempt("write" + name, lambda: write(name))
    attempt("remove" + name, lambda: os.remove(name))
    attempt("replace" + name, lambda: (write("fresh"), os.rename("fresh", name)))
attempt("hook", lambda: write(".git/hooks/post-checkout"))
attempt("pth", lambda: write(".venv/lib/site/evil.pth"))
for name in (".git", ".git/hooks", ".venv", ".venv/lib", ".venv/lib/site", ".vscode"):
    attempt("away" + name, lambda: os.rename(name, "elsewhere"))
""",
        readonly=tuple(str(bench.project / name) for name in protected),
    )
    assert_refused(said)
    assert {(bench.project / name).read_text() for name in names} == {"kept"}
    assert (bench.project / ".git" / "hooks" / "post-checkout").exists() is False


def test_what_could_not_be_held_is_told(bench: "Bench", sandbox: Sandbox, outside: Path) -> None:
    (outside / "environment").mkdir()
    (bench.project / "link").symlink_to(outside / "environment")
    (bench.project / "same").symlink_to(outside / "environment")
    program = """
import os
os.makedirs(".git/hooks")
open(".git/hooks/pre-commit", "w").close()
os.remove("link")
os.mkdir("link")
"""
    readonly = tuple(str(bench.project / name) for name in (".git", ".vscode", "link", "same"))
    outcome = bench.run(sandbox, bench.python(program, readonly=readonly))
    assert outcome.exit.exit_code == 0
    assert sorted(map(os.path.basename, outcome.exit.tampered)) == [".git", "link"]
    assert "read-only paths that are links or do not exist yet" in " ".join(outcome.report.enforced)


# Processes of the host


def test_processes_of_the_host_are_out_of_reach(
    assault: Assault, bystander: "subprocess.Popen[bytes]"
) -> None:
    said = assault(
        """
victim = sys.argv[1]
for part in ("environ", "mem", "maps", "root/etc/passwd", "cwd/x", "fd/0", "cmdline"):
    attempt(part, lambda: read(f"/proc/{victim}/{part}"))
attempt("signal", lambda: os.kill(int(victim), signal.SIGKILL))
attempt("trace", lambda: call("ptrace", 16, int(victim), 0, 0))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, int(victim), 19))
attempt("affinity", lambda: os.sched_setaffinity(int(victim), {0}))
""",
        str(bystander.pid),
    )
    assert_refused(said, REFUSALS | {"ESRCH"})


def test_only_its_own_processes_can_be_seen(assault: Assault) -> None:
    said = assault('print("seen", len([name for name in os.listdir("/proc") if name.isdecimal()]))')
    assert int(said["seen"]) <= 3


# Privileges


def test_no_privilege_is_left_or_to_be_had(assault: Assault) -> None:
    said = assault("""
for line in open("/proc/self/status"):
    if line.startswith(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp:")):
        print(line.split()[0], int(line.split()[1], 16))
""")
    assert said.pop("NoNewPrivs:") == "1"
    assert said.pop("Seccomp:") == "2"
    assert set(said.values()) == {"0"}


def test_mounts_roots_and_namespaces_cannot_be_changed(assault: Assault) -> None:
    said = assault("""
os.mkdir("place")
attempt("mount", lambda: call("mount", b"none", b"place", b"tmpfs", 0, None))
attempt("bind", lambda: call("mount", b"/etc", b"place", None, 4096, None))
attempt("remount", lambda: call("mount", None, b"/", None, 32 | 4096, None))
attempt("umount", lambda: call("umount2", b"/proc", 2))
attempt("chroot", lambda: os.chroot("place"))
attempt("pivot", lambda: call("syscall", 155, b"place", b"place"))
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("pid", 0x20000000), ("net", 0x40000000),
                   ("user+mount", 0x10020000), ("time", 0x80), ("cgroup", 0x2000000)):
    attempt("unshare-" + name, lambda: call("unshare", flag))
attempt("clone", lambda: call("syscall", 56, 0x10000000 | 17, 0, 0, 0, 0))
attempt("clone3", lambda: call("syscall", 435, 0, 0))
attempt("setns", lambda: call("setns", os.open("/proc/self/ns/mnt", os.O_RDONLY), 0))
attempt("fsopen", lambda: call("syscall", 430, b"tmpfs", 0))
attempt("open_tree", lambda: call("syscall", 428, -100, b"/", 1))
attempt("device", lambda: os.mknod("device", 0o600 | 0o60000, os.makedev(8, 0)))
attempt("handle", lambda: call("syscall", 303, -100, b"/etc", 0, 0, 0))
attempt("user-owner", lambda: os.setuid(12345))
attempt("hostname", lambda: socket.sethostname("x"))
""")
    assert_refused(said, REFUSALS | {"EINVAL"})
    assert [name for name, word in said.items() if word == "EINVAL"] in ([], ["user-owner"])


def test_a_setuid_program_gains_nothing(bench: "Bench", sandbox: Sandbox) -> None:
    program = bench.project / "who"
    shutil.copy("/usr/bin/id", program)
    if os.geteuid() == 0:
        os.chown(program, 65534, 65534)
    program.chmod(0o6755)
    outcome = bench.run(sandbox, bench.job(str(program), "-u"))
    assert outcome.stdout == str(os.geteuid())


def test_dangerous_parts_of_the_kernel_are_shut(assault: Assault) -> None:
    said = assault("""
numbers = {"io_uring_setup": 425, "bpf": 321, "keyctl": 250, "add_key": 248, "request_key": 249,
           "userfaultfd": 323, "perf_event_open": 298, "kexec_load": 246, "init_module": 175,
           "finit_module": 313, "delete_module": 176, "reboot": 169, "swapon": 167, "acct": 163,
           "quotactl": 179, "open_by_handle_at": 304, "fanotify_init": 300, "syslog": 103, "iopl": 172}
for name, number in numbers.items():
    attempt(name, lambda: call("syscall", number, 0, 0, 0, 0, 0))
attempt("personality", lambda: call("personality", 0x0400000))
attempt("personality-high", lambda: call("personality", 0x80400000))
""")
    assert_refused(said, {"EPERM", "ENOSYS"})


def test_only_common_families_of_sockets_exist(assault: Assault) -> None:
    said = assault("""
for name, family, kind, protocol in (("netlink", 16, 3, 0), ("audit", 16, 3, 9), ("vsock", 40, 1, 0),
                                     ("packet", 17, 3, 0), ("alg", 38, 5, 0), ("key", 15, 3, 2),
                                     ("bluetooth", 31, 5, 0), ("can", 29, 3, 1), ("xdp", 44, 3, 0)):
    attempt(name, lambda: socket.socket(family, kind, protocol).close())
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
print("names", socket.getaddrinfo("localhost", 80)[0][4][0] in ("127.0.0.1", "::1"))
""")
    assert said.pop("names") == "True"
    assert said.pop("raw") in {"EPERM", "EACCES"}
    assert_refused(said, {"EAFNOSUPPORT", "EPERM"})


def test_nothing_can_be_typed_into_a_terminal(assault: Assault) -> None:
    said = assault("""
import fcntl, pty, termios
leader, follower = pty.openpty()
attempt("type", lambda: fcntl.ioctl(follower, termios.TIOCSTI, b"x"))
attempt("high", lambda: call("ioctl", follower, ctypes.c_ulong(0x100005412), b"x"))
attempt("console", lambda: fcntl.ioctl(follower, 0x541C, b"\\x02"))
attempt("terminal", lambda: os.open("/dev/tty", os.O_RDWR))
""")
    assert said.pop("terminal") == "ENXIO"
    assert_refused(said, {"EPERM"})


def test_calls_of_a_foreign_abi_kill_their_process(bench: "Bench", sandbox: Sandbox, prelude: str) -> None:
    outcome = bench.run(sandbox, bench.python(prelude + 'call("syscall", 0x40000000 | 39); print("done")'))
    assert (outcome.exit.signal, outcome.stdout) == (31, "")


# Services of the host


@pytest.fixture
def services(outside: Path) -> Iterator[list[str]]:
    """Unix sockets of the host that accept everybody: in a home, where services put theirs, and abstract."""
    names = [str(outside / "agent.sock"), "\0proctor-test-" + outside.name]
    if os.access("/run", os.W_OK):
        names.append(f"/run/{outside.name}.sock")
    ends = []
    for name in names:
        end = socket.socket(socket.AF_UNIX)
        end.bind(name)
        end.listen()
        ends.append(end)
    yield names
    for name, end in zip(names, ends, strict=True):
        end.close()
        if name.startswith("/run/"):
            os.remove(name)


def test_unix_sockets_of_the_host_cannot_be_reached(assault: Assault, services: list[str]) -> None:
    said = assault(
        """
for number, name in enumerate(sys.argv[1:]):
    attempt(f"service{number}", lambda: connect(name.replace("@", "\\0", 1)))
""",
        *(name.replace("\0", "@") for name in services),
    )
    assert_refused(said, UNREACHABLE)


def test_neither_host_nor_network_can_be_reached(assault: Assault) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = assault(
            """
port = int(sys.argv[1])
attempt("loopback", lambda: connect(("127.0.0.1", port), socket.AF_INET))
attempt("metadata", lambda: connect(("169.254.169.254", 80), socket.AF_INET))
attempt("metadata6", lambda: connect(("fd00:ec2::254", 80), socket.AF_INET6))
attempt("internet", lambda: connect(("192.0.2.1", 443), socket.AF_INET))
attempt("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
""",
            str(server.getsockname()[1]),
        )
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert_refused(said, UNREACHABLE)


# The runner itself


def test_variables_for_the_command_do_not_move_the_sandbox(bench: "Bench", sandbox: Sandbox) -> None:
    environment = {"LD_PRELOAD": "/no/such/object.so"}
    outcome = bench.run(sandbox, bench.job("true", environment=environment))
    assert outcome.exit.exit_code == 0
    assert outcome.stderr.count("/no/such/object.so") == 1


def test_programs_of_the_project_do_not_become_the_sandbox(
    bench: "Bench", sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bwrap", "python3", "python", "sh", "unshare"):
        (bench.project / name).write_text("#!/bin/sh\necho shim >> shimmed\n")
        (bench.project / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{bench.project}:{os.environ['PATH']}")
    assert bench.run(sandbox, bench.job("/bin/true")).exit.exit_code == 0
    assert not (bench.project / "shimmed").exists()
    (bench.project / "sitecustomize.py").write_text("open('shimmed', 'w').close()")
    monkeypatch.setenv("PYTHONPATH", str(bench.project))
    assert bench.run(sandbox, bench.job("/bin/true")).exit.exit_code == 0
    assert not (bench.project / "shimmed").exists()


def test_the_command_inherits_its_streams_and_channel_alone(assault: Assault) -> None:
    with open("/etc/hostname") as secret:
        os.set_inheritable(secret.fileno(), True)
        said = assault("""
for number in range(3, 256):
    try:
        os.fstat(number)
    except OSError:
        continue
    print("open", number == int(os.environ["PROCTOR_CHANNEL"]))
""")
    assert said == {"open": "True"}
