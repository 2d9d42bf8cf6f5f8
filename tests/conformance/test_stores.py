"""Every store of ours passes the suite that authors get."""

from sourcebook.testing import StoreConformance


class TestMemory(StoreConformance):
    store = "memory"


class TestTantivy(StoreConformance):
    store = "tantivy"
