/// A resource of the server that several limits draw on.
package enum SharedResource: CaseIterable, Sendable {
    /// The text messages that may be sent in an hour, which cost the operator money.
    case textMessages
    /// The connections to the public listener.
    case connections
    /// The DPoP proofs that a server with a SQLite database remembers while they are fresh.
    case replayCache
}

/// The part that a limit takes of a resource that it shares with other limits.
///
/// Two limits that each look sensible can contradict each other: if all event streams together may use as
/// many connections as there are, users can't log in while the streams are open. Therefore, every limit
/// declares the part that it uses, and the configuration is rejected if the parts don't fit together.
package enum ResourceDeclaration: Sendable {
    /// The limit's events don't use anything that other limits share, or not enough to matter.
    case own

    /// The limit is the capacity of a resource.
    case capacity(SharedResource)

    /// All subjects of the limit together can use a part of the resource, and no other clients can use it.
    ///
    /// `nil` means that the limit doesn't apply.
    case part(SharedResource, @Sendable (ServerConfiguration) -> Int?)

    /// A single subject of the limit, such as a network or a session, can use a part of the resource.
    ///
    /// `nil` means that the limit doesn't apply.
    case subject(SharedResource, @Sendable (ServerConfiguration) -> Int?)
}
