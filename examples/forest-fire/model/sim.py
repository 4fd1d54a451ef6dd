"""A fire in a square forest (site percolation). With 4 neighbours, fires cross large forests from density 0.593 on."""

import json
import random
import sys

inputs = json.load(sys.stdin)
side = inputs["Side"]
chance = random.Random(inputs["{RANDOM_SEED}"])
trees = {
    (row, column)
    for row in range(side)
    for column in range(side)
    if chance.random() < inputs["Density"]
}
if not trees:
    sys.exit("the forest has no tree: the density is too low for this side length")

beside = [(-1, 0), (1, 0), (0, -1), (0, 1)]
if inputs["Neighbours"] == 8:
    beside += [(-1, -1), (-1, 1), (1, -1), (1, 1)]

burning = {tree for tree in trees if tree[1] == 0}
burnt = set(burning)
curve = [len(burning)]
while burning:
    near = {(row + down, column + right) for row, column in burning for down, right in beside}
    burning = (near & trees) - burnt
    burnt |= burning
    curve.append(len(burning))
    print(json.dumps({"progress": len(burnt) / len(trees)}))

with open("map.txt", "w") as map_file:
    for row in range(side):
        marks = ("#" if (row, column) in burnt else "." if (row, column) in trees else " " for column in range(side))
        map_file.write("".join(marks) + "\n")

outputs = {
    "Burnt share": len(burnt) / len(trees),
    "Crossed": any(column == side - 1 for _, column in burnt),
    "Duration": len(curve) - 1,
    "Burning": {"dataX": list(range(len(curve))), "dataY": curve},
    "Map": "map.txt",
}
print(json.dumps({"outputs": outputs}))
