package import LatchkeyModel

/// A topic that subscribers can follow, such as the changes to one session.
package struct BroadcastTopic: Hashable, Sendable {
    /// The kind of data whose changes are published under a topic.
    ///
    /// The raw value is the first character of the topic's ``description``.
    package enum Kind: String, Sendable, CaseIterable {
        /// A session. Subscribers are notified when the session ends.
        case session = "s"
        /// An identity. Subscribers are notified when the identity's data or any of its sessions change.
        case identity = "i"
        /// An identity's purchases. Subscribers are notified when any of the purchases changes.
        case transactions = "t"
        /// The rules that determine what all accounts are asked for. Subscribers are notified when documents are
        /// published, or when a client's required fields change.
        case dutyRules = "d"
    }

    /// The kind of the topic.
    package let kind: Kind
    /// The id of the session or identity.
    package let subject: Identifier

    /// Creates a topic.
    package init(_ kind: Kind, of subject: Identifier) {
        self.kind = kind
        self.subject = subject
    }

    /// The topic that is published when accounts may be asked for something else.
    package static let dutyRules = BroadcastTopic(.dutyRules, of: Identifier(high: 0, low: 0))

    /// Returns the topic that is published when a session ends.
    package static func session(_ session: Identifier) -> BroadcastTopic {
        BroadcastTopic(.session, of: session)
    }

    /// Returns the topic that is published when an identity's data changes or when any of its sessions end.
    package static func identity(_ identity: Identifier) -> BroadcastTopic {
        BroadcastTopic(.identity, of: identity)
    }

    /// Returns the topic that is published when an identity's purchases change.
    package static func transactions(of identity: Identifier) -> BroadcastTopic {
        BroadcastTopic(.transactions, of: identity)
    }
}

extension BroadcastTopic: LosslessStringConvertible {
    /// Parses the format that ``description`` returns.
    ///
    /// The result is `nil` for any other text.
    package init?(_ text: String) {
        // We check the length in bytes first because other programs can send notifications with arbitrary
        // content.
        guard
            text.utf8.count == 38, let kind = Kind(rawValue: String(text.prefix(1))),
            text.dropFirst().first == ":", let subject = Identifier(String(text.dropFirst(2)))
        else { return nil }
        self.init(kind, of: subject)
    }

    /// The text that nodes send to each other: the kind and the id, such as
    /// `s:9a8cbfb3-87bd-4087-b48d-2569b1b43386`.
    ///
    /// The text must not contain personal data because any user of the database can read notifications.
    package var description: String { "\(kind.rawValue):\(subject)" }
}
