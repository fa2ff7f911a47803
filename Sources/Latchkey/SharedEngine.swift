import LatchkeyCore
import LatchkeyModel
import LatchkeyWire

/// The engine of one or more clients, which release it together.
final class SharedEngine: Sendable {
    /// The values that clients of one engine have in common, besides the platform's parts.
    struct Configuration: Hashable, Sendable {
        var server: String
        var basePath: BasePath
        var origins: Set<String>
        var app: String
        var slot: AccountSlot
        var storage: StorageChoice
        var credential: Credential
        var revokesSessions: Bool
        var proxy: ProxyChoice
        var languages: [String]
    }

    /// A reference that does not keep the engine alive.
    private struct Reference: Sendable {
        weak var engine: SharedEngine?
    }

    /// The engines of this process's clients, by their configuration.
    private static let engines = Locked<[Configuration: Reference]>([:])

    let engine: Engine

    init(_ engine: Engine) {
        self.engine = engine
    }

    /// Returns the engine of the clients with this configuration, or creates one.
    ///
    /// Clients of one configuration would otherwise have separate views of the same record, which agree only
    /// after the store has reported each change. An engine is released with its last client.
    ///
    /// - Parameters:
    ///   - configuration: The configuration; `nil` if the client has parts of its own, so that it never shares
    ///     an engine.
    ///   - create: Creates the engine. Two clients that are created at the same time may both call it; the
    ///     second engine is released.
    /// - Returns: The engine.
    /// - Throws: ``LatchkeyError`` of `create`.
    static func engine(
        for configuration: Configuration?,
        create: () throws(LatchkeyError) -> Engine
    ) throws(LatchkeyError) -> SharedEngine {
        guard let configuration else { return SharedEngine(try create()) }
        if let known = engines.withLock({ $0[configuration]?.engine }) { return known }
        let created = SharedEngine(try create())
        return engines.withLock { engines in
            if let known = engines[configuration]?.engine { return known }
            engines = engines.filter { $0.value.engine != nil }
            engines[configuration] = Reference(engine: created)
            return created
        }
    }
}
