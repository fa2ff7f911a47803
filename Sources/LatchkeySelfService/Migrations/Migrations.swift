package import LatchkeyServerKit

extension [Migration] {
    package static var selfService: [Migration] { [.selfService] }
}
