package import LatchkeyModel
package import LatchkeyServerKit

/// A credential other than a password, such as the secret of an authenticator app.
package struct Credential: Sendable {
    package let id: Identifier
    package let identityID: Identifier
    /// The name of the method.
    package let method: String
    /// The data that the method needs to verify the credential, in the method's own format.
    ///
    /// The method hashes or encrypts it, so that the database doesn't contain secrets in clear.
    package let secret: [UInt8]
    package let createdAt: Timestamp

    package init(
        id: Identifier,
        of identity: Identifier,
        method: String,
        secret: [UInt8],
        createdAt: Timestamp
    ) {
        self.id = id
        identityID = identity
        self.method = method
        self.secret = secret
        self.createdAt = createdAt
    }
}

/// Stores the credentials of accounts, except passwords.
///
/// The caller has locked the account's row.
package enum CredentialRepository {
    package static func insert(
        _ credential: Credential,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute(
            "INSERT INTO credentials (id, identity_id, method, secret, created_at) VALUES ($1, $2, $3, $4, $5)",
            .identifier(credential.id),
            .identifier(credential.identityID),
            .text(credential.method),
            .blob(credential.secret),
            .time(credential.createdAt)
        )
    }

    /// Returns the credentials of an account for one method, oldest first.
    package static func all(
        of identity: Identifier,
        method: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> [Credential] {
        let rows = try transaction.rows(
            """
            SELECT id, secret, created_at FROM credentials WHERE identity_id = $1 AND method = $2 \
            ORDER BY created_at, id
            """,
            .identifier(identity),
            .text(method)
        )
        var credentials: [Credential] = []
        for row in rows {
            credentials.append(
                Credential(
                    id: try row.identifier(0),
                    of: identity,
                    method: method,
                    secret: try row.blob(1),
                    createdAt: try row.time(2)
                )
            )
        }
        return credentials
    }

    /// Deletes a credential, unless it was deleted already.
    @discardableResult
    package static func delete(
        _ credential: Identifier,
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Bool {
        try transaction.execute(
            "DELETE FROM credentials WHERE identity_id = $1 AND id = $2",
            .identifier(identity),
            .identifier(credential)
        ) == 1
    }

    /// Deletes all credentials of an account.
    package static func deleteAll(
        of identity: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM credentials WHERE identity_id = $1", .identifier(identity))
    }
}
