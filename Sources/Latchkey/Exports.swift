// An app imports Latchkey alone.
@_exported public import LatchkeyCore
@_exported public import LatchkeyModel
@_exported public import LatchkeyWire

// Its stores and transports, for apps that set them up in another way.
#if canImport(LatchkeyCurl)
@_exported public import LatchkeyCurl
#endif
#if canImport(LatchkeyFileStore)
@_exported public import LatchkeyFileStore
#endif
#if canImport(LatchkeySecretService)
@_exported public import LatchkeySecretService
#endif
