@_exported public import LatchkeyURLSession
