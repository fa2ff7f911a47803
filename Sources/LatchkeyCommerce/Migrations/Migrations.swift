package import LatchkeyServerKit

extension [Migration] {
    package static var commerce: [Migration] { [.commerce] }
}
