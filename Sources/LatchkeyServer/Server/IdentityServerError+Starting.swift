import LatchkeyAccounts
import LatchkeyMicrohttpd
import LatchkeyServerKit

extension IdentityServerError {
    /// The advice for a node whose keys differ from those of the other nodes.
    static let sharedKeys = """
        the database belongs to servers with different keys: copy secrets, ca.key and ca.pem from the data folder \
        of one of them
        """

    /// Creates an error for operators from any error that a start can throw.
    ///
    /// An error of the configuration, the storage or a listener has its own message. Of any other error only
    /// the type is reported, as its text may contain a secret.
    init(starting error: any Error) {
        switch error {
        case let error as IdentityServerError: self = error
        case let error as DataFolderError: self.init(.storage, message: error.description)
        case let error as DatabaseError: self.init(.storage, message: error.description)
        case let error as KeyRegister.Stranger:
            let files =
                error.kind == .secrets
                ? "secrets file has no secret in common with that of" : "ca.key differs from that of"
            self.init(
                .storage,
                message: "The data folder's \(files) the other servers, and \(Self.sharedKeys)."
            )
        case let error as SchemaError:
            self.init(.configuration, message: "identity schema \(error.description)")
        case let error as HTTPServerError: self.init(.listening, message: error.description)
        default: self.init(.resources, message: "The server cannot start: \(type(of: error)).")
        }
    }
}
