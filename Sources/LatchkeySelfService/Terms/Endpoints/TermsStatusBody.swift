package import LatchkeyWire

/// The number of accounts that have answered a document.
package struct TermsStatusBody: AnswerBody, DocumentedBody, Hashable {
    /// The accounts whose newest answered version is the same.
    package struct Version: DocumentedBody, Hashable {
        package var version: Int
        package var accounts: Int

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case version, accounts
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.version, .integer), .required(CodingKeys.accounts, .integer),
        ])

        package init(version: Int, accounts: Int) {
            (self.version, self.accounts) = (version, accounts)
        }
    }

    /// The accounts with active sessions of a client.
    package struct Client: DocumentedBody, Hashable {
        package var clientID: String
        package var accounts: Int
        /// The number of accounts that aren't asked, because they have answered the required version.
        package var answered: Int

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case accounts, answered
            case clientID = "client_id"
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.clientID, .text), .required(CodingKeys.accounts, .integer),
            .required(CodingKeys.answered, .integer),
        ])

        package init(clientID: String, accounts: Int, answered: Int) {
            (self.clientID, self.accounts, self.answered) = (clientID, accounts, answered)
        }
    }

    package var document: String
    /// The version that accounts have to answer, or `nil` if none in force asks for an answer.
    package var required: Int?
    /// The number of active accounts or, for a document of a client, of those with an active session of the client.
    package var accounts: Int
    /// The number of accounts that have answered the required version or a later one.
    package var answered: Int
    /// The accounts by the newest version that they have answered.
    package var versions: [Version]
    /// The accounts by the clients at which the document applies.
    package var clients: [Client]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case document, required, accounts, answered, versions, clients
    }

    package static let schema = JSONSchema.component(
        "TermsStatus",
        summary: "The number of accounts that have answered a document.",
        members: [
            .required(CodingKeys.document, .text), .optional(CodingKeys.required, .integer),
            .required(CodingKeys.accounts, .integer), .required(CodingKeys.answered, .integer),
            .required(CodingKeys.versions, .array(Version.schema)),
            .required(CodingKeys.clients, .array(Client.schema)),
        ]
    )

    package init(
        document: String,
        required: Int?,
        accounts: Int,
        answered: Int,
        versions: [Version],
        clients: [Client]
    ) {
        (self.document, self.required, self.accounts) = (document, required, accounts)
        (self.answered, self.versions, self.clients) = (answered, versions, clients)
    }
}
