// An app imports Latchkey alone.
@_exported public import LatchkeyCore
@_exported public import LatchkeyModel
@_exported public import LatchkeyWire
