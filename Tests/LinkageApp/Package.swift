// swift-tools-version: 6.2
import PackageDescription

// An app outside this package that links only one compatibility module. `scripts/check-linkage` builds it and
// checks which libraries it links.
let package = Package(
    name: "linkage-app",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "latchkey", path: "../..")],
    targets: [
        .executableTarget(
            name: "LinkageApp",
            dependencies: [.product(name: "VipasoSDK", package: "latchkey")]
        )
    ]
)
