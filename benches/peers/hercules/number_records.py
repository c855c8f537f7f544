"""Writes every 4,096-byte record's CCHHR into its first five data octets: number_records.py VOLUME.

VOLUME is a CKD image as `dasdinit -linux -lfs` makes it (`man 4 cckd` has the layout of a track): a header of 512
octets, then tracks of 56,832: home address (5), then records of count (8), key and data.
"""

import sys

HEADER, TRACK, HOME_ADDRESS, COUNT = 512, 56_832, 5, 8
END = b"\xff" * COUNT


def main(path):
    """Goes through all tracks."""
    with open(path, "r+b") as file:
        file.seek(HEADER)
        while len(track := bytearray(file.read(TRACK))) == TRACK:
            at = HOME_ADDRESS
            while (count := track[at:at + COUNT]) != END:
                key, data = count[5], int.from_bytes(count[6:8], "big")
                if key == 0 and data == 4096:
                    track[at + COUNT:at + COUNT + 5] = count[:5]
                at += COUNT + key + data
            file.seek(-TRACK, 1)
            file.write(track)


if __name__ == "__main__":
    main(sys.argv[1])
