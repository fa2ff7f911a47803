extension [Migration] {
    package static var kit: [Migration] { [.kit] }
}
