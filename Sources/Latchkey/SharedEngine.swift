import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// An engine that is shared by one or more clients.
final class SharedEngine: Sendable {
    /// The values that clients must have in common to share an engine.
    struct Key: Hashable, Sendable {
        var server: String
        var basePath: BasePath
        var origins: Set<String>
        var app: String
        var slot: AccountSlot
        var storage: StorageChoice
        var credential: Credential
        var revokesSessions: Bool
        var client: ClientRegistration?
        var proxy: ProxyChoice
        var languages: [String]
    }

    /// A reference that doesn't keep the engine alive.
    private struct Reference: Sendable {
        weak var engine: SharedEngine?
    }

    /// The engines in this process, by key.
    private static let engines = Locked<[Key: Reference]>([:])

    let engine: Engine

    init(_ engine: Engine) {
        self.engine = engine
    }

    /// Returns the engine for the given key.
    ///
    /// The engine is created if it doesn't exist yet. If clients with the same configuration didn't share an
    /// engine, they would have separate views of the same stored session, and the views would differ until
    /// the store has reported each change. An engine is released together with its last client.
    ///
    /// - Parameters:
    ///   - key: The key. Clients with their own store, transport or other component pass `nil` and never share an
    ///     engine.
    ///   - create: Creates the engine. If two clients are created at the same time, both may call this
    ///     closure, and the second engine is released.
    /// - Returns: The engine.
    /// - Throws: Any ``LatchkeyError`` thrown by `create`.
    static func engine(
        for key: Key?,
        create: () throws(LatchkeyError) -> Engine
    ) throws(LatchkeyError) -> SharedEngine {
        guard let key else { return SharedEngine(try create()) }
        if let known = engines.withLock({ $0[key]?.engine }) { return known }
        let created = SharedEngine(try create())
        return engines.withLock { engines in
            if let known = engines[key]?.engine { return known }
            engines = engines.filter { $0.value.engine != nil }
            engines[key] = Reference(engine: created)
            return created
        }
    }
}
