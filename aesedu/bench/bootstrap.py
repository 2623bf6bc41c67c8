"""Medians of clustered values with bootstrap intervals."""

import numpy


def median_interval(clusters, seed=0, resamples=1000):
    """Return (median, lower, upper) of the values in all clusters: the median and its 95 % bootstrap interval.

    ``clusters`` is a list of lists of numbers, one for each placement of code and data. The values of one cluster share
    its placement's luck, so they are no independent witnesses: whole clusters are drawn first, then values within each.
    Raises ValueError where there is no value.
    """
    clusters = [numpy.asarray(cluster, float) for cluster in clusters if len(cluster)]
    if not clusters:
        raise ValueError("no values: a median needs at least one")
    medians = numpy.median(resample(clusters, numpy.random.default_rng(seed), resamples), axis=1)
    low, high = numpy.percentile(medians, [2.5, 97.5])
    middle = numpy.median(numpy.concatenate(clusters))
    # The median of all values may lie a hair outside where clusters differ in length.
    return float(middle), float(min(low, middle)), float(max(high, middle))


def resample(clusters, rng, resamples):
    """Return an array of ``resamples`` rows, each a two-stage bootstrap draw; every cluster drawn weighs the same."""
    lengths = numpy.array([len(cluster) for cluster in clusters])
    starts = numpy.concatenate([[0], numpy.cumsum(lengths)[:-1]])
    chosen = rng.integers(len(clusters), size=(resamples, len(clusters), 1))
    within = rng.random((resamples, len(clusters), lengths.max())) * lengths[chosen]
    return numpy.concatenate(clusters)[starts[chosen] + within.astype(int)].reshape(resamples, -1)
