import LatchkeyMicrohttpd
import LatchkeyServerCore

extension IdentityServerError {
    /// Finds what to tell an operator about whatever kept a server from starting.
    init(starting error: any Error) {
        switch error {
        case let error as IdentityServerError: self = error
        case let error as DataFolderError: self.init(.storage, error.description)
        case let error as DatabaseError: self.init(.storage, error.description)
        case let error as SchemaError: self.init(.configuration, "identity schema \(error.description)")
        case let error as HTTPServerError: self.init(.listening, error.description)
        default: self.init(.resources, "The server cannot start: \(type(of: error)).")
        }
    }
}
