import LatchkeyModel
package import LatchkeyServerKit

extension Log {
    /// A log that discards all events.
    package static let silent = Log(.error, time: SystemTime()) { _ in }
}
