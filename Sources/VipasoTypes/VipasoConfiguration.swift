public import Latchkey

/// The configuration of a client of the Vipaso compatibility modules.
///
/// ``Latchkey/LatchkeyConfiguration/revokesSessions`` has no effect, because logging out doesn't contact the server.
public typealias VipasoConfiguration = LatchkeyConfiguration
