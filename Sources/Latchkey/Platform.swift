import LatchkeyCore
import LatchkeyWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if LINUX_ADAPTERS
import LatchkeyCurl
import LatchkeyFileStore
import LatchkeySecretService
import LatchkeySoftwareKeys
#endif

/// The platform's default implementations.
///
/// A client uses these implementations for any components that the app doesn't provide.
enum Platform {
    /// Returns the provider of software device keys.
    ///
    /// - Throws: `LatchkeyError` with the code `invalidInput` if the platform doesn't have a provider.
    static func deviceKeys() throws(LatchkeyError) -> any DeviceKeyProvider {
        #if LINUX_ADAPTERS
        return SoftwareDeviceKeys()
        #else
        throw LatchkeyError(
            .invalidInput,
            message: "This platform has no default device keys. Pass a provider."
        )
        #endif
    }

    /// Returns the verifier for the signatures of ID tokens, or `nil` if the platform has none.
    static func signatures() -> (any SignatureVerifier)? {
        #if LINUX_ADAPTERS
        return SoftwareSignatureVerifier()
        #else
        return nil
        #endif
    }

    /// Returns the user's preferred languages from the system's settings, or on Linux from the process's
    /// environment.
    static func languages() -> LanguagePreferences {
        #if canImport(Darwin)
        LanguagePreferences(preferred: Locale.preferredLanguages)
        #else
        LanguagePreferences(environment: ProcessInfo.processInfo.environment)
        #endif
    }

    /// Creates the platform's transport.
    ///
    /// - Throws: `LatchkeyError` with the code `invalidInput` if the platform doesn't have a transport, or a
    ///   transport error if the proxy URL is invalid or libcurl is unavailable.
    static func transport(proxy: ProxyChoice) throws(LatchkeyError) -> any Transport {
        #if LINUX_ADAPTERS
        var options = CurlOptions()
        options.proxy = proxy
        do throws(TransportError) {
            return try CurlTransport(options: options)
        } catch {
            throw LatchkeyError(transport: error)
        }
        #else
        throw LatchkeyError(
            .invalidInput,
            message: "This platform has no default transport. Pass a transport."
        )
        #endif
    }

    /// Creates the platform's store for an app and a server.
    ///
    /// - Throws: `LatchkeyError` with the code `storageFailed` if the environment doesn't specify a folder,
    ///   or if the chosen store doesn't exist on this platform.
    static func store(
        server: String,
        app: String,
        choice: StorageChoice
    ) throws(LatchkeyError) -> any SessionStore {
        if choice == .memory { return MemoryStore() }
        #if LINUX_ADAPTERS
        do throws(SessionStoreError) {
            let location = try StoreLocation.standard()
            let file = EncryptedFileStore(server: server, app: app, location: location)
            if choice == .file { return file }
            let keyring = SecretServiceStore(server: server, app: app, folder: location.dataFolder)
            return choice == .keyring ? keyring : FallbackSessionStore(keyring: keyring, file: file)
        } catch {
            throw LatchkeyError(.storageFailed, message: error.message, cause: error)
        }
        #else
        throw LatchkeyError(
            .invalidInput,
            message: "This platform has no default session store. Pass a store."
        )
        #endif
    }
}

extension WebAddress {
    /// Parses and validates the URL of an identity server.
    ///
    /// - Throws: `LatchkeyError` with the code `invalidInput` if the URL is malformed, has a query or an
    ///   unusable path, or uses plain `http` for another machine.
    init(server: String) throws(LatchkeyError) {
        do throws(WebAddressError) {
            let address = try WebAddress(parsing: server)
            guard address.query == nil else { throw .query }
            guard address.isConfidential else { throw .notConfidential }
            guard BasePath(address.pathPrefix) != nil else { throw .path }
            self = address
        } catch {
            throw LatchkeyError(error, about: "The server URL")
        }
    }
}
