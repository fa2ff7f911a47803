import LatchkeyAccounts
import LatchkeyMicrohttpd
import LatchkeyServerKit

extension IdentityServerError {
    /// Tells the operator how to fix a node that doesn't have the keys of the other nodes.
    static let sharedKeys = """
        copy secrets, ca.key and ca.pem from the data folder of one of the servers that use the database
        """

    /// Creates an error for the operator from any error that occurs while the server starts.
    ///
    /// Configuration, storage and listener errors are reported with their full messages. For all other
    /// errors, only the type is reported, because the description might contain a secret.
    init(starting error: any Error) {
        switch error {
        case let error as IdentityServerError: self = error
        case let error as DataFolderError: self.init(.storage, message: error.description)
        case let error as DatabaseError: self.init(.storage, message: error.description)
        case let error as KeyRegister.Stranger:
            let files =
                error.kind == .secrets
                ? "secrets file has no secrets in common with that of" : "ca.key differs from that of"
            self.init(
                .storage,
                message: "The data folder's \(files) the other servers: \(Self.sharedKeys)."
            )
        case let error as SchemaError: self.init(.configuration, message: error.description)
        case let error as BreachList.Unusable: self.init(.configuration, message: error.reason)
        case let error as HTTPServerError: self.init(.listening, message: error.description)
        default: self.init(.resources, message: "The server cannot start: \(type(of: error)).")
        }
    }
}
