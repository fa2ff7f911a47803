/// The version of the package and of its API contract.
package enum Release {
    /// The version of the package.
    package static let version = "0.1.0"

    /// The version of the contract between clients and servers; incremented by every change that breaks older
    /// clients or servers.
    package static let contract: Int64 = 1
}
