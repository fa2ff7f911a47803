package import LatchkeyServerKit

extension [Migration] {
    package static var courier: [Migration] { [.courier] }
}
