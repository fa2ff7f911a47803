public import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

extension LatchkeyClient {
    /// Returns a client with a given state, for previews and tests of views; it uses neither a server nor a disk.
    ///
    /// The user can sign out. All requests fail with the code `unreachable`, as they do without a network.
    ///
    /// - Parameter state: The state of the session. `unavailable(.notReadYet)` becomes a locked store, because
    ///   the memory of a preview is read at once.
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
        do throws(LatchkeyError) {
            return try LatchkeyClient(
                server: "https://preview.invalid",
                app: "preview",
                store: store,
                deviceKeys: PreviewDeviceKeys(),
                transport: PreviewTransport(),
                languages: []
            )
        } catch {
            // Unreachable: the initializer throws only for an invalid URL, app id or language, which are valid
            // constants here, and for platform parts that cannot be created, all of which are passed in.
            preconditionFailure("The configuration of previews is invalid: \(error)")
        }
    }
}

extension MemoryStore {
    /// Stores a session whose token is not valid at any server.
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

/// A transport without a network.
private struct PreviewTransport: Transport {
    func send(_ request: HTTP.Request, to origin: String) async throws(TransportError) -> HTTP.Response {
        throw TransportError(.unreachable, message: "Previews have no network.", neverSent: true)
    }
}

/// Device keys of a preview, which never logs in.
private struct PreviewDeviceKeys: DeviceKeyProvider {
    func makeKey() throws(DeviceKeyError) -> any DeviceKey {
        throw DeviceKeyError("Previews have no device keys.")
    }

    func key(from storedForm: [UInt8]) throws(DeviceKeyError) -> any DeviceKey {
        throw DeviceKeyError("Previews have no device keys.")
    }

    func removeKey(_ storedForm: [UInt8]) {}
}
