public import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

extension LatchkeyClient {
    /// Returns a client in the given state, for use in previews and in tests of views.
    ///
    /// The client doesn't access a server or the disk. The user can sign out. All requests fail with the code
    /// `unreachable`, as if the device were offline.
    ///
    /// - Parameter state: The state of the session. `unavailable(.notReadYet)` is turned into a locked store,
    ///   because a preview's store is in memory and is read immediately.
    /// - Returns: The client.
    public static func preview(_ state: SessionState) -> LatchkeyClient {
        let store = MemoryStore()
        switch state {
        case .signedOut: break
        case .signedIn(let session): store.preset(session)
        case .unavailable(.store(let error)): store.fail(with: error)
        case .unavailable(.notReadYet):
            store.fail(with: SessionStoreError(.locked, message: "The store of this preview is locked."))
        }
        var configuration = LatchkeyConfiguration(server: "https://preview.invalid", app: "preview")
        configuration.store = store
        configuration.deviceKeys = PreviewDeviceKeys()
        configuration.transport = PreviewTransport()
        configuration.languages = []
        do throws(LatchkeyError) {
            return try LatchkeyClient(configuration)
        } catch {
            // This is unreachable. The initializer only throws if the URL, the app id or a language is
            // invalid, or if a platform component cannot be created. All values here are valid constants, and
            // no platform components are created because they are all passed in.
            preconditionFailure("The configuration of previews is invalid: \(error)")
        }
    }
}

extension MemoryStore {
    /// Stores a session with a token that isn't valid on any server.
    fileprivate func preset(_ session: UserSession) {
        let stored = StoredSession(
            login: LoginID(random: SystemRandom()),
            session: session,
            credential: .sessionToken(Secret("preview")),
            key: StoredKey([]),
            certificate: nil,
            requiresCertificate: false
        )
        do throws(SessionStoreError) {
            _ = try write(stored.encoded(), basedOn: 0)
        } catch {
            fail(with: error)
        }
    }
}

/// A transport that always fails, because previews have no network.
private struct PreviewTransport: Transport {
    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        throw TransportError(.unreachable, message: "Previews have no network.", neverSent: true)
    }
}

/// Device keys for previews.
///
/// Previews never need device keys, because they don't log in.
private struct PreviewDeviceKeys: DeviceKeyProvider {
    func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        throw DeviceKeyError(.failed, message: "Previews have no device keys.")
    }

    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        throw DeviceKeyError(.failed, message: "Previews have no device keys.")
    }

    func removeKey(_ storedForm: [UInt8]) {}
}
