// Descriptions of routes use the schemas of LatchkeyWire in every server module.
@_exported public import LatchkeyWire
