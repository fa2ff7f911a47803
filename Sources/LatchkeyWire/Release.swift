/// The version of this package and its API contract.
package enum Release {
    /// The version of this package.
    package static let version = "0.1.0"

    /// The version of the contract between clients and servers.
    ///
    /// Increment this version with every change that breaks older clients or servers.
    package static let contract: Int64 = 1
}
