/// All data that the server stores about an account, exported for the account's owner.
///
/// Times are in RFC 3339 format, and IDs are UUIDs.
package struct AccountExportBody: AnswerBody, Codable {
    /// An address of the account, and whether it is known to belong to the account's owner.
    package struct Address: Sendable, Codable {
        /// The channel, either `email` or `sms`.
        package var via: String
        package var value: String
        /// The state of ownership: one of `claimed`, `proven` and `released`.
        package var state: String
    }

    /// The times when the password was first set and last changed.
    ///
    /// The password hash is not exported.
    package struct Password: Sendable, Codable {
        package var createdAt: String
        package var updatedAt: String

        private enum CodingKeys: String, CodingKey {
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    /// A network that the user has logged in from.
    ///
    /// The server stores only a keyed hash of the network's address.
    package struct KnownNetwork: Sendable, Codable {
        package var seenAt: String

        private enum CodingKeys: String, CodingKey {
            case seenAt = "seen_at"
        }
    }

    /// A certificate that was issued to one of the user's devices.
    package struct Certificate: Sendable, Codable {
        package var serialNumber: String
        package var sessionID: String
        /// The SHA-256 hash of the public key, encoded as base64url.
        package var keyThumbprint: String
        package var issuedAt: String
        package var notAfter: String
        package var revokedAt: String?

        private enum CodingKeys: String, CodingKey {
            case serialNumber = "serial_number"
            case sessionID = "session_id"
            case keyThumbprint = "key_thumbprint"
            case issuedAt = "issued_at"
            case notAfter = "not_after"
            case revokedAt = "revoked_at"
        }
    }

    /// A message about the account.
    ///
    /// The text of the message is not exported.
    package struct Message: Sendable, Codable {
        /// The name of the message template.
        package var template: String
        /// The channel, either `email` or `sms`.
        package var via: String
        package var recipient: String?
        package var status: String
        package var createdAt: String

        private enum CodingKeys: String, CodingKey {
            case template, via, recipient, status
            case createdAt = "created_at"
        }
    }

    /// The refresh tokens of a session.
    ///
    /// The tokens themselves aren't stored.
    package struct TokenFamily: Sendable, Codable {
        package var sessionID: String
        package var createdAt: String
        /// When a token was last used to refresh the session.
        package var usedAt: String

        private enum CodingKeys: String, CodingKey {
            case sessionID = "session_id"
            case createdAt = "created_at"
            case usedAt = "used_at"
        }
    }

    /// A self-service flow that was started for the account.
    package struct Flow: Sendable, Codable {
        /// The kind of flow, such as `login`.
        package var kind: String
        package var state: String
        package var issuedAt: String
        package var expiresAt: String

        private enum CodingKeys: String, CodingKey {
            case kind, state
            case issuedAt = "issued_at"
            case expiresAt = "expires_at"
        }
    }

    /// A one-time code that was sent to one of the account's addresses.
    ///
    /// The code itself is not exported.
    package struct Code: Sendable, Codable {
        /// The channel, either `email` or `sms`.
        package var via: String
        package var address: String
        package var issuedAt: String
        package var expiresAt: String

        private enum CodingKeys: String, CodingKey {
            case via, address
            case issuedAt = "issued_at"
            case expiresAt = "expires_at"
        }
    }

    /// An entry in the audit log.
    package struct Event: Sendable, Codable {
        package var time: String
        /// The type of actor that performed the action, which is one of `user`, `operator` and `server`.
        package var actor: String
        package var action: String
        package var subject: String?
        /// The client's IP address, for actions performed by the user.
        package var ipAddress: String?

        private enum CodingKeys: String, CodingKey {
            case time, actor, action, subject
            case ipAddress = "ip_address"
        }
    }

    package var exportedAt: String
    package var identity: IdentityBody
    /// When an address was first proven by a user who was logged in to the account, or `nil` if the account
    /// is unconfirmed.
    package var confirmedAt: String?
    package var addresses: [Address]
    /// The password, or `nil` if the account doesn't have one.
    package var password: Password?
    package var knownNetworks: [KnownNetwork]
    package var certificates: [Certificate]
    package var messages: [Message]
    package var tokenFamilies: [TokenFamily]
    package var flows: [Flow]
    package var codes: [Code]
    /// The payment methods, or `nil` if the account has neither payment methods nor transactions.
    package var paymentMethods: [PaymentMethodBody]?
    /// The purchase transactions, or `nil` if the account has neither payment methods nor transactions.
    package var transactions: [TransactionBody]?
    /// All sessions that are still stored, regardless of their state.
    ///
    /// The ``SessionBody/identity`` of each session is `nil`.
    package var sessions: [SessionBody]
    /// The audit log entries, newest first.
    package var events: [Event]

    private enum CodingKeys: String, CodingKey {
        case identity, addresses, password, certificates, messages, flows, codes, transactions, sessions,
            events
        case paymentMethods = "payment_methods"
        case tokenFamilies = "token_families"
        case exportedAt = "exported_at"
        case confirmedAt = "confirmed_at"
        case knownNetworks = "known_networks"
    }
}
