// Apps import only Latchkey, which exports the modules that its public API uses.
@_exported public import LatchkeyCore
@_exported public import LatchkeyModel
@_exported public import LatchkeyWire

// The platform's stores and transports, for apps that configure them themselves.
#if canImport(LatchkeyCurl)
@_exported public import LatchkeyCurl
#endif
#if canImport(LatchkeyFileStore)
@_exported public import LatchkeyFileStore
#endif
#if canImport(LatchkeySecretService)
@_exported public import LatchkeySecretService
#endif
