"""Parquet data sets of sweeps, read by others."""

from pathlib import Path

import pytest

import halftrack

duckdb = pytest.importorskip("duckdb")
pl = pytest.importorskip("polars")
pq = pytest.importorskip("pyarrow.parquet")
dataset = pytest.importorskip("pyarrow.dataset")

STUDY = Path(__file__).parents[2] / "studies/fex32s-zhpf-4k"
SHORT = {"workload.run.interval_s": 0.01, "workload.run.warmup_s": 0.005}
KM, JOBS = "plant.cable.*.km", "workload.stream.READ4K.closed.jobs"


@pytest.fixture(scope="module")
def result():
    study = halftrack.Study.load(STUDY, set=SHORT)
    return study.sweep({KM: [0, 2.5], JOBS: [1, 4, "none"]}, y=["response_ms:READ4K"]).run(cache=False)


def test_readers_agree(result, tmp_path: Path) -> None:
    result.to_parquet(tmp_path)
    points = f"{tmp_path}/*/points/*.parquet"
    by_polars = pl.read_parquet(points, hive_partitioning=True)
    by_duckdb = duckdb.sql(f"FROM read_parquet('{points}', hive_partitioning = true) ORDER BY point").pl()
    by_arrow = dataset.dataset(next(tmp_path.glob("*/points")), partitioning="hive").to_table()
    assert by_polars.height == by_arrow.num_rows == 6
    columns = [name for name in by_polars.columns if name != "study"]
    assert by_polars.select(columns).to_dicts() == by_duckdb.select(columns).to_dicts()
    assert by_polars.select(columns).to_dicts() == by_arrow.select(columns).to_pylist()
    assert set(by_polars["study"]) == {"fex32s-zhpf-4k"}
    assert by_polars.select(columns).to_dicts() == result.table().to_polars().to_dicts()


def test_types_units_and_keys(result, tmp_path: Path) -> None:
    result.to_parquet(tmp_path)
    schema = pq.read_schema(next(tmp_path.glob("*/points/part-0.parquet")))
    metadata = schema.field("response_ms:READ4K").metadata
    assert metadata[b"unit"] == b"ms" and b"Response time" in metadata[b"definition"]
    points = pl.read_parquet(tmp_path / "*/points/*.parquet")
    assert points[KM].to_list() == [0, 0, 0, 2.5, 2.5, 2.5]
    assert points[JOBS].to_list() == [1, 4, None, 1, 4, None]
    assert points["status"].to_list() == ["ok", "ok", "failed"] * 2
    keys = points.filter(pl.col("status") == "ok")["content_key"]
    assert keys.n_unique() == 4 and all(len(key) == 64 for key in keys)
    values = pl.read_parquet(tmp_path / "*/values/*.parquet")
    assert values.height == 6 * 4
    assert set(values.filter(pl.col("subject") == "READ4K")["unit"]) == {"ms"}


def test_the_same_sweep_is_the_same_octets(result, tmp_path: Path) -> None:
    files = []
    for name in ["one", "two", "one"]:
        result.to_parquet(tmp_path / name)
        files.append([path.read_bytes() for path in sorted((tmp_path / name).rglob("*.parquet"))])
    assert len(files[0]) == 2 and files[0] == files[1] == files[2]


def test_a_place_that_is_none_is_refused(result, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises((OSError, ValueError), match="no Parquet data set can be in .*file: it is not a directory"):
        result.to_parquet(file)
    assert file.read_text() == "mine"
