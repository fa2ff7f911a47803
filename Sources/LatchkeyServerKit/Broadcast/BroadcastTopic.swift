package import LatchkeyModel

/// A subject whose changes are published, such as a session.
package struct BroadcastTopic: Hashable, Sendable {
    /// A kind of subject.
    ///
    /// The raw value is the first character of a topic's ``text``.
    package enum Kind: String, Sendable, CaseIterable {
        /// A session, which has ended.
        case session = "s"
        /// An identity, whose data or sessions have changed.
        case identity = "i"
        /// The purchases of an identity.
        case transactions = "t"
    }

    /// The kind of the subject.
    package let kind: Kind
    /// The id of the session or the identity.
    package let subject: Identifier

    /// Creates a topic.
    package init(_ kind: Kind, of subject: Identifier) {
        self.kind = kind
        self.subject = subject
    }

    /// Returns the topic of a session, which is published when the session ends.
    package static func session(_ session: Identifier) -> BroadcastTopic {
        BroadcastTopic(.session, of: session)
    }

    /// Returns the topic of an identity, which is published when its data change or its sessions end.
    package static func identity(_ identity: Identifier) -> BroadcastTopic {
        BroadcastTopic(.identity, of: identity)
    }

    /// Returns the topic of an identity's purchases.
    package static func transactions(of identity: Identifier) -> BroadcastTopic {
        BroadcastTopic(.transactions, of: identity)
    }
}

extension BroadcastTopic: LosslessStringConvertible {
    /// Parses the form that ``description`` returns, and returns `nil` for any other text.
    package init?(_ text: String) {
        // The length is checked in bytes first, because notifications of other programs can have any content.
        guard
            text.utf8.count == 38, let kind = Kind(rawValue: String(text.prefix(1))),
            text.dropFirst().first == ":", let subject = Identifier(String(text.dropFirst(2)))
        else { return nil }
        self.init(kind, of: subject)
    }

    /// The kind and the id, such as `s:9a8cbfb3-87bd-4087-b48d-2569b1b43386`, which nodes send to each other.
    ///
    /// The text contains no personal data, because every user of the database can read notifications.
    package var description: String { "\(kind.rawValue):\(subject)" }
}
