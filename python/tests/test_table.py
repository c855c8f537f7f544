"""Tables: their cells are those of the reports, their units are there, and other libraries read them."""

from __future__ import annotations

import importlib
import json
import subprocess

import halftrack
import pytest


def need(name: str) -> object:
    return pytest.importorskip(name, exc_type=ImportError)


def test_every_table_has_units_and_definitions(run: halftrack.Run) -> None:
    assert {"streams", "channels", "iops", "devices", "links"} <= set(run.tables)
    for name in run.tables:
        table = run.table(name)
        assert len(table) == table.num_rows
        assert set(table.units) <= set(table.column_names) == set(table.definitions)
    assert run.channels.num_rows == 1 and run.streams.column("stream") == ["READ4K"]


def test_cells_are_the_quantities_of_the_run(run: halftrack.Run) -> None:
    rows = run.quantities().to_dicts()
    assert len(rows) > 50
    for row in rows:
        if row["value"] is not None:
            assert run.quantity(row["name"]) == row["value"], row["name"]


def test_an_interval_is_a_row(study: halftrack.Study) -> None:
    run = study.set({"workload.run.intervals": 3}).run()
    by_interval = run.table("channels", by_interval=True)
    assert by_interval.column("interval") == [0, 1, 2]
    with pytest.raises(ValueError, match="as a whole"):
        run.table("quantities", by_interval=True)


def test_an_unknown_table_names_those_that_there_are(run: halftrack.Run) -> None:
    with pytest.raises(ValueError, match="channels"):
        run.table("chanels")
    with pytest.raises(KeyError, match="no column rate; the table has"):
        run.table("channels").column("rate")


def test_polars_reads_the_table(run: halftrack.Run) -> None:
    need("polars")
    frame = run.devices.to_polars()
    assert frame.to_dicts() == run.devices.to_dicts()


def test_arrow_reads_the_table_without_a_copy(run: halftrack.Run) -> None:
    need("pyarrow")
    table = run.devices
    first, second = table.to_pyarrow(), table.to_pyarrow()
    assert first.to_pylist() == table.to_dicts()
    name = next(name for name in table.units if first.schema.field(name).type == "double")
    addresses = [one.column(name).chunk(0).buffers()[1].address for one in (first, second)]
    assert addresses[0] == addresses[1]
    assert first.schema.field(name).metadata[b"unit"].decode() == table.units[name]


def test_pandas_reads_the_table(run: halftrack.Run) -> None:
    need("pandas")
    need("pyarrow")
    assert run.streams.to_pandas()["stream"].tolist() == ["READ4K"]


def test_duckdb_reads_the_table(run: halftrack.Run) -> None:
    duckdb = need("duckdb")
    devices = run.devices.to_pyarrow() if importlib.util.find_spec("pyarrow") else run.devices
    counted = duckdb.sql("select count(*) from devices").fetchall()  # type: ignore[attr-defined]
    assert counted == [(len(devices),)]


def test_a_library_that_is_missing_is_named(run: halftrack.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(ImportError, match="pip install polars"):
        run.devices.to_polars()


def test_a_notebook_shows_rows_and_units(run: halftrack.Run) -> None:
    shown = run.devices._repr_html_()
    assert shown.startswith("<table>") and "more rows" in shown and "<br>ms" in shown


def test_published_figures_are_those_of_the_command(command: str) -> None:
    table = halftrack.published("fex32s-card*")
    printed = subprocess.run(
        [command, "published", "fex32s-card*", "--json", "--no-cache"], check=True, capture_output=True
    )
    rows = json.loads(printed.stdout)
    assert rows and table.column("id") == [row["id"] for row in rows]
    for column in ("published", "simulated", "error_percent", "holds", "status", "unit", "experiment"):
        assert table.column(column) == [row[column] for row in rows]
    with pytest.raises(ValueError, match="no figure has"):
        halftrack.published("no such figure")


def test_sensitivity_is_that_of_the_command(command: str) -> None:
    # Its prediction moves with an assumed number, so that it counts as fitted.
    pattern = "z900-ficon-small-block-gain"
    printed = subprocess.run(
        [command, "published", pattern, "--sensitivity", "--json", "--no-cache"], check=True, capture_output=True
    )
    (row,) = json.loads(printed.stdout)
    seen: list[halftrack.Progress] = []
    marked = halftrack.published(pattern, sensitivity=True, progress=seen.append)
    (mine,) = marked.to_dicts()
    (plain,) = halftrack.published(pattern).to_dicts()
    assert (plain["status"], mine["status"]) == ("predicted", "fitted")
    assert {key: mine[key] for key in row} == row | {"rests_on": "; ".join(row["rests_on"])}
    assert row["rests_on"] and row["rests_on"][0] in mine["remarks"]
    assert seen[-1].runs == seen[-1].total_runs > 10 * seen[0].runs
    assert [one.runs for one in seen] == sorted(one.runs for one in seen)


def test_quantities_are_those_of_the_command(command: str) -> None:
    printed = subprocess.run([command, "quantities", "response", "--json"], check=True, capture_output=True)
    rows = json.loads(printed.stdout)
    table = halftrack.quantities("response")
    assert [row["name"] for row in rows] == table.column("name")
    assert [row["definition"] for row in rows] == table.column("definition")
