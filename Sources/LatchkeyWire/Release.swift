/// Which version this is.
package enum Release {
    /// The version of the package.
    package static let version = "0.1.0"

    /// The version of the contract between clients and servers; another number when one of them must not go on with the
    /// other.
    package static let contract: Int64 = 1
}
