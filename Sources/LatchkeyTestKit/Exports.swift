// On Linux, tests only have to import LatchkeyTestKit, which includes everything that is available on all
// platforms.
@_exported public import LatchkeyTesting
