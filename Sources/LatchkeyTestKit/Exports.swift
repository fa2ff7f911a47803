// Tests on Linux import only LatchkeyTestKit, which includes the parts for all platforms.
@_exported public import LatchkeyTesting
