"""The command line: help, errors, exit statuses, and as a process its streams."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from sourcebook.errors import UsageError
from sourcebook.surfaces import cli, output

COMMAND = [sys.executable, "-m", "sourcebook"]


class Done(NamedTuple):
    """How a command line ended."""

    returncode: int
    stdout: str
    stderr: str


Call = Callable[..., Done]


@pytest.fixture
def call(
    sample: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Call:
    """Return a function that runs a command line in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))

    def call(*arguments: str, **environment: str) -> Done:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["sourcebook", *arguments])
            for name, value in environment.items():
                patch.setenv(name, value)
            status = cli.run(arguments)
        return Done(status, *capsys.readouterr())

    return call


def process(*arguments: str | bytes, **environment: str) -> Done:
    """Run a command line as a process of its own, in a locale that knows ASCII only."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", **environment},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_root_help_lists_subjects_and_commands(call: Call) -> None:
    done = call("--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\n  sample  Lines of text, and verbs that misbehave.\n" in done.stdout
    assert "\n  greet       Say hello.\n" in done.stdout
    for name in ("agent", "cache", "completion", "config", "embedders", "plugins", "verify"):
        assert f"\n  {name} " in done.stdout


def test_without_arguments_the_help_is_talk_and_the_status_two(call: Call) -> None:
    for arguments in ([], ["sample"]):
        done = call(*arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("Usage: sourcebook")


def test_the_version_is_printed(call: Call) -> None:
    done = call("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("sourcebook 0.")


def test_subject_help_lists_verbs_without_their_modules(call: Call) -> None:
    done = call("sample", "--help")
    assert done.returncode == 0
    assert "Lines of text, and verbs that misbehave." in done.stdout
    assert "\n  search  Echo a request.\n" in done.stdout
    assert "\n  index   Read the corpus" in done.stdout


def test_verb_help_says_everything_about_its_options(call: Call) -> None:
    done = call("sample", "fail", "--help")
    assert done.returncode == 0
    assert "Usage: sourcebook sample fail [OPTIONS] HOW" in done.stdout
    assert "HOW  Which failure. One of error, value," in done.stdout
    assert "--json" in done.stdout


def test_a_command_of_a_plugin_runs(call: Call) -> None:
    done = call("greet", "you")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello you\n", "")


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["sampel"], "no subject or command is named `sampel`", "did you mean `sample`?"),
        (["sample", "serch"], "no verb is named `serch`", "did you mean `search`?"),
        (["sample", "fail", "--jsno"], "no option is named `--jsno`", "did you mean `--json`?"),
        (["sample", "fail", "eror"], "`eror` is none of error, value", "did you mean `error`?"),
        (["sample", "fail"], "`how` is required", "Which failure."),
        (["sample", "fail", "error", "more"], "got unexpected extra argument (more)", "--help"),
        (["sample", "search", "--limit", "x"], "`x` is not an integer", ""),
        (["sample", "search", "--limit", "1_0"], "`1_0` is not an integer", ""),
        (["sample", "search", "--share", "many"], "`many` is not a number", ""),
        (["sample", "search", "--limit"], "option '--limit' requires an argument", ""),
        (["sample", "search", "--format", "shuot"], "no renderer named `shuot`", "`shout`"),
    ],
)
def test_a_wrong_command_line_is_told_with_the_right_one(
    call: Call, arguments: list[str], message: str, hint: str
) -> None:
    done = call(*arguments)
    assert done.returncode == (1 if "renderer" in message else 2)
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {message}")
    assert hint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "where"),
    [
        (["sampel", "--json"], "usage_error", "sourcebook"),
        (["sample", "--json", "serch"], "usage_error", "sourcebook sample"),
        (["sample", "fail", "--json", "--jsno"], "usage_error", "sourcebook sample fail"),
        (["sample", "fail", "--json"], "bad_request", "HOW"),
        (["sample", "search", "--json", "--limit", "x"], "bad_request", "--limit"),
    ],
)
def test_under_json_a_usage_error_is_an_object_too(
    call: Call, arguments: list[str], code: str, where: str
) -> None:
    done = call(*arguments)
    assert done.returncode == 2
    assert done.stderr == ""
    error = json.loads(done.stdout)["error"]
    assert set(error) == {"code", "message", "where", "hint"}
    assert (error["code"], error["where"]) == (code, where)


def test_an_error_says_message_place_and_hint_on_standard_error(call: Call) -> None:
    done = call("sample", "fail", "error")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "error: no thing is here\n  at a.sample:3\\u001b[2J\nhint: look elsewhere\n"
    )


def test_under_json_the_same_error_is_an_object_on_standard_output(call: Call) -> None:
    done = call("sample", "fail", "error", "--json")
    assert done.returncode == 1
    assert done.stderr == ""
    assert json.loads(done.stdout) == {
        "error": {
            "code": "not_found",
            "message": "no thing is here",
            "where": "a.sample:3\x1b[2J",
            "hint": "look elsewhere",
        }
    }


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("value", "ValueError: a bad value"),
        ("recursion", "RecursionError: maximum recursion depth exceeded"),
        ("panic", "Panic: index out of bounds"),
    ],
)
def test_a_fault_of_the_program_is_one_line_without_a_traceback(
    call: Call, how: str, message: str
) -> None:
    done = call("sample", "fail", how)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {message}")
    assert "SOURCEBOOK_TRACEBACK=1" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_the_traceback_can_be_had(call: Call) -> None:
    done = call("sample", "fail", "value", SOURCEBOOK_TRACEBACK="1")
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert "ValueError: a bad" in done.stderr


def test_a_response_that_json_cannot_say_is_an_error(call: Call) -> None:
    done = call("sample", "fail", "nan", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "internal_error"


def test_a_verb_decides_on_the_exit_status(call: Call) -> None:
    done = call("sample", "fail", "status")
    assert (done.returncode, done.stdout) == (3, "3\n")


def test_an_interrupt_ends_quietly_with_130(sample: Path) -> None:
    done = process("sample", "fail", "interrupt")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["long"], ["long", "--json"]])
def test_a_reader_that_goes_away_is_no_error(
    sample: Path, arguments: list[str], unbuffered: str
) -> None:
    process = subprocess.Popen(
        [*COMMAND, "sample", "fail", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read()
    assert said == b""
    assert process.returncode == 128 + signal.SIGPIPE


@pytest.mark.parametrize("arguments", [["long"], ["status"], ["long", "--json"], ["error"]])
def test_a_full_disk_is_told(sample: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "sample", "fail", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    if "--json" not in arguments:
        assert done.stderr.startswith(b"error: ")


def test_closed_streams_are_no_reason_to_crash(sample: Path) -> None:
    line = f"{sys.executable} -m sourcebook sample fail status 0<&- 1>&- 2>&-"
    done = subprocess.run(["/bin/sh", "-c", line], check=False)
    assert done.returncode == 3


def test_plugins_embedders_and_config_answer_in_text_and_json(call: Call) -> None:
    for name in ("plugins", "embedders", "config"):
        text = call(name)
        body = json.loads(call(name, "--json").stdout)
        assert text.returncode == 0
        assert body["schema"] == f"{name}/1"
        assert text.stdout.count("\n") == len(body[{"config": "settings"}.get(name, name)])


def test_config_says_where_a_value_comes_from(call: Call) -> None:
    body = json.loads(call("config", "--json", SOURCEBOOK_EMBEDDING="hash").stdout)
    [row] = [one for one in body["settings"] if one["key"] == "embedding"]
    assert (row["value"], row["origin"]) == ("hash", "environment SOURCEBOOK_EMBEDDING")
    assert "environment SOURCEBOOK_EMBEDDING" in call("config", SOURCEBOOK_EMBEDDING="hash").stdout


def test_embedders_mark_the_default(call: Call) -> None:
    assert "hash (default)" in call("embedders", SOURCEBOOK_EMBEDDING="hash").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_name_the_command(call: Call, shell: str) -> None:
    done = call("completion", shell)
    assert done.returncode == 0
    assert "_SOURCEBOOK_COMPLETE" in done.stdout
    assert json.loads(call("completion", shell, "--json").stdout)["shell"] == shell


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sourcebook sam", ["sample"]),
        ("sourcebook plu", ["plugins"]),
        ("sourcebook sample se", ["search"]),
        ("sourcebook sample fail --js", ["--json"]),
        ("sourcebook sample fail er", ["error"]),
        ("sourcebook nothing x", []),
    ],
)
def test_words_are_completed(call: Call, typed: str, offered: list[str]) -> None:
    count = len(typed.split()) - 1
    done = call(_SOURCEBOOK_COMPLETE="bash_complete", COMP_WORDS=typed, COMP_CWORD=str(count))
    assert done.returncode == 0, done.stderr
    assert [line.partition(",")[2] for line in done.stdout.split()] == offered


def test_events_are_logged_with_v_only(call: Call) -> None:
    assert call("sample", "fail", "status").stderr == ""


def test_the_streams_are_utf8_whatever_the_locale_says(sample: Path) -> None:
    done = process("sample", "fail", "東京\x1b")
    assert done.returncode == 2
    assert "`東京\\u001b` is none of" in done.stderr


def test_an_argument_that_is_no_text_is_told(sample: Path) -> None:
    done = process("sample", "fail", b"\xff")
    assert done.returncode == 2
    assert done.stderr.startswith("error: `\\udcff` is none of")


def test_every_command_of_the_core_has_the_summary_that_root_help_gives() -> None:
    for name, summary in cli.BUILT_IN.items():
        command = cli.Root().load(name)
        assert command is not None
        assert command.get_short_help_str(200) == summary


def test_an_error_object_keeps_characters_that_text_escapes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    output.write_error(UsageError("a\x1bb"), as_json=True)
    assert json.loads(capsys.readouterr().out)["error"]["message"] == "a\x1bb"
