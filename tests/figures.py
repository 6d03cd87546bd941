"""Figures as Prometheus reads them."""

from prometheus_client.parser import text_string_to_metric_families


def figures(metrics, name):
    """Return what is not zero of a metric, by the values of its labels in the order of their names."""
    families = text_string_to_metric_families(metrics.as_text().decode())
    samples = [sample for family in families for sample in family.samples if sample.name == name]
    assert samples or name.endswith("_total"), f"there is no {name}"
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for sample in samples
        if sample.value
    }
