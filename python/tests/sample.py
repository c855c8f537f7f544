"""A use of the whole package, for the checker of types."""

from __future__ import annotations

import halftrack


def far(place: str) -> halftrack.Run:
    try:
        study = halftrack.Study.load(place, set={"workload.run.intervals": 2}, catalogs=["catalog"])
    except halftrack.StudyError as error:
        for one in error.diagnostics:
            print(one.code, one.file, one.line, one.column, one.fix)
        raise
    print(study.name, study.systems, study.content_key(7), study.counts()["devices"])
    display: halftrack.Display = study.display("D M=CHP", system="PROD1", at_s=0.5, hardware="hardware.toml")
    print(display.system, display.text, display.to_dict()["shown"])
    changed = study.set({"plant.cable.*.km": 10, "workload.stream.X.select": ["a", "b"]})
    return changed.run(seed=7, precision=2.0, progress=show, warmup="auto", capture_frames=100)


def show(progress: halftrack.Progress) -> bool:
    left_s = progress.left_s
    print(f"{progress.fraction:.0%}, {progress.ios} I/Os", "" if left_s is None else f"{left_s:.0f} s left")
    return progress.elapsed_s < 60


def reports(run: halftrack.Run) -> str:
    system: str = run.systems[0]
    rate: float = run.quantity("rate")
    if not run.held:
        print(run.violations, run.warnings, rate)
    if run.capture is not None:
        run.capture.write("run.pcapng")
    for name in run.tables:
        table: halftrack.Table = run.table(name)
        print(table.num_rows, table.units, table.column_names)
    print(run.devices.to_polars().height, run.streams.to_dicts(), run.quantities().num_rows)
    run.write("out")
    return run.rmf(system, -1) + run.report_html() + halftrack.Run.from_json(run.to_json()).summary()


def deck(place: str) -> bool | None:
    deck = halftrack.Deck.parse(place, machine=3931)
    check: halftrack.DeckCheck = deck.check(software={"PROD1": "z/OS 2.1"}, advice=False)
    print(check.valid, check.totals, deck.draw(lpar="PROD1", chpid=[0x40, "41-43"]))
    link: halftrack.DeckIslink = deck.islink(
        over=[0x40, "41=42"], between=("VMA", "B:VMB"), ports={"0.40": 0x1120}, nodes={"VMB": "SYSB"}, device="D000"
    )
    print(link.text, link.to_dict()["devices"], link.to_json(), deck.connections(ports={"0.40": "1120"})["pairs"])
    return deck.diff(halftrack.Deck.from_text(deck.format())).same


def machine(place: str) -> halftrack.Study:
    made = halftrack.new_study(place, model="Max39", channels=16, bases=512, aliases=256, block=8192, rate=10_000.0)
    models: list[str] = halftrack.study_models().column("model")
    print(made["cards"], models, halftrack.explain("HTK929E")[0]["fix"])
    return halftrack.Study.load(place)


def figures() -> list[str]:
    table = halftrack.published("fex32s*", cache="runs", sensitivity=True, progress=True)
    ids: list[str] = table.column("id")
    return ids + halftrack.quantities("response").column("name")
