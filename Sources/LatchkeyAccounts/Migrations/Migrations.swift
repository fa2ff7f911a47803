package import LatchkeyServerKit

extension [Migration] {
    package static var accounts: [Migration] { [.accounts] }
}
