"""The files of a tutorial, written into its folder: `import tutorial_files` in a hidden first cell."""

from irassay.simulation import simulate

simulate(1, 50, 24).write("collection")
