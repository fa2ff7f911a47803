package import LatchkeyServerKit

extension [Migration] {
    package static var oauth: [Migration] { [.oauth] }
}
