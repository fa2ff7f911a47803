import LatchkeyCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(LatchkeyCurl)
import LatchkeyCurl
#endif
#if canImport(LatchkeyFileStore)
import LatchkeyFileStore
#endif
#if canImport(LatchkeySecretService)
import LatchkeySecretService
#endif

/// The parts that a client uses when the app brings none of its own.
enum Platform {
    static func deviceKeys() -> any DeviceKeyProvider {
        SoftwareDeviceKeys()
    }

    /// The languages of the environment.
    static func languages() -> LanguagePreferences {
        LanguagePreferences(environment: ProcessInfo.processInfo.environment)
    }

    static func transport(proxy: ProxyChoice) throws(LatchkeyError) -> any Transport {
        #if canImport(LatchkeyCurl)
        var options = CurlOptions()
        options.proxy = proxy
        do throws(TransportError) {
            return try CurlTransport(options: options)
        } catch {
            throw LatchkeyError(transport: error)
        }
        #else
        throw LatchkeyError(.invalidInput, "This platform has no transport of its own yet; give one.")
        #endif
    }

    static func store(
        server: String,
        app: String,
        choice: StorageChoice
    ) throws(LatchkeyError) -> any SessionStore {
        if choice == .memory { return MemoryStore() }
        #if canImport(LatchkeyFileStore)
        do throws(SessionStoreError) {
            let location = try StoreLocation.standard()
            let file = EncryptedFileStore(server: server, app: app, location: location)
            if choice == .encryptedFile { return file }
            #if canImport(LatchkeySecretService)
            let keyring = SecretServiceStore(server: server, app: app, folder: location.dataFolder)
            return choice == .secretService ? keyring : StorageLadder(keyring: keyring, file: file)
            #else
            if choice == .automatic { return file }
            throw SessionStoreError(.failed, "This platform has no Secret Service.")
            #endif
        } catch {
            throw LatchkeyError(.storageFailed, error.message, cause: error)
        }
        #else
        throw LatchkeyError(.invalidInput, "This platform has no store of its own yet; give one.")
        #endif
    }
}

extension WebAddress {
    /// Reads the address of an identity server.
    init(server: String) throws(LatchkeyError) {
        guard let address = WebAddress(server), address.query == nil else {
            throw LatchkeyError(
                .invalidInput,
                "The server's address is none; it looks like https://id.example.com."
            )
        }
        guard address.isConfidential else {
            throw LatchkeyError(
                .invalidInput,
                "The server's address must start with https://, for passwords and tokens go there; "
                    + "http:// is for this machine only."
            )
        }
        guard BasePath(address.pathPrefix) != nil else {
            throw LatchkeyError(
                .invalidInput,
                "The path of the server's address has an empty segment, a dot segment or a character that paths "
                    + "do not contain."
            )
        }
        self = address
    }
}
