// Apps only import Latchkey, so it exports the modules that its public API uses.
@_exported public import LatchkeyCore
@_exported public import LatchkeyModel
@_exported public import LatchkeyWire

// Some apps configure the platform's stores, transports and keys themselves, so we export these modules, too.
#if LINUX_ADAPTERS
@_exported public import LatchkeyCurl
@_exported public import LatchkeyFileStore
@_exported public import LatchkeySecretService
@_exported public import LatchkeySoftwareKeys
#endif
