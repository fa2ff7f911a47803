/// The data that the server stores about an account, as exported to its owner.
///
/// Times are in RFC 3339, and IDs are UUIDs.
package struct AccountExportBody: Sendable, Codable {
    /// The state of the ownership of an address.
    package struct Address: Sendable, Codable {
        /// The channel: `email` or `sms`.
        package var via: String
        package var value: String
        /// `claimed`, `proven` or `released`.
        package var state: String
    }

    /// The password, without its hash.
    package struct Password: Sendable, Codable {
        package var createdAt: String
        package var updatedAt: String

        private enum CodingKeys: String, CodingKey {
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    /// A network from which the user has logged in; only its keyed hash is stored.
    package struct KnownNetwork: Sendable, Codable {
        package var seenAt: String

        private enum CodingKeys: String, CodingKey {
            case seenAt = "seen_at"
        }
    }

    /// A device certificate.
    package struct Certificate: Sendable, Codable {
        package var serialNumber: String
        package var sessionID: String
        /// The SHA-256 hash of the public key in base64url.
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

    /// A message about the account, without its content.
    package struct Message: Sendable, Codable {
        /// The name of the template.
        package var template: String
        /// The channel: `email` or `sms`.
        package var via: String
        package var recipient: String?
        package var status: String
        package var createdAt: String

        private enum CodingKeys: String, CodingKey {
            case template, via, recipient, status
            case createdAt = "created_at"
        }
    }

    /// The refresh tokens of a session; the tokens themselves are not stored.
    package struct TokenFamily: Sendable, Codable {
        package var sessionID: String
        package var createdAt: String
        /// The time of the last refresh.
        package var usedAt: String

        private enum CodingKeys: String, CodingKey {
            case sessionID = "session_id"
            case createdAt = "created_at"
            case usedAt = "used_at"
        }
    }

    /// A self-service flow of the account.
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

    /// A one-time code that was sent to an address of the account, without the code itself.
    package struct Code: Sendable, Codable {
        /// The channel: `email` or `sms`.
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

    /// An event in the audit log.
    package struct Event: Sendable, Codable {
        package var time: String
        /// `user`, `operator` or `server`.
        package var actor: String
        package var action: String
        package var subject: String?
        /// The address of the client, for actions of the user.
        package var ipAddress: String?

        private enum CodingKeys: String, CodingKey {
            case time, actor, action, subject
            case ipAddress = "ip_address"
        }
    }

    package var exportedAt: String
    package var identity: IdentityBody
    /// The time at which an address was first proven from inside the account; `nil` for an unconfirmed account.
    package var confirmedAt: String?
    package var addresses: [Address]
    /// The password; `nil` if the account has none.
    package var password: Password?
    package var knownNetworks: [KnownNetwork]
    package var certificates: [Certificate]
    package var messages: [Message]
    package var tokenFamilies: [TokenFamily]
    package var flows: [Flow]
    package var codes: [Code]
    /// The payment methods; `nil` for an account without payment methods and transactions.
    package var paymentMethods: [PaymentMethodBody]?
    /// The purchase transactions; `nil` for an account without payment methods and transactions.
    package var transactions: [TransactionBody]?
    /// The sessions in any state, as long as they are stored; their ``SessionBody/identity`` is `nil`.
    package var sessions: [SessionBody]
    /// The events, newest first.
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
