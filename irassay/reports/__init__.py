"""The page of an assay: sections, report cards and templates."""
