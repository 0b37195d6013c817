# Makes the installer for Windows: the bundle, its two programs signed where there is a certificate, the installer.
#   pwsh packaging/windows/build.ps1 [-Output dist] [-KeepBundle]
# Needs Python 3.11 or newer as `python`, and NSIS 3.08 or newer.
param(
    [string] $Output = 'dist',
    [switch] $KeepBundle # takes the bundle that is in the folder already
)
$ErrorActionPreference = 'Stop'
$root = Resolve-Path (Join-Path $PSScriptRoot '..' '..')
Set-Location $root
$bundle = Join-Path $Output 'spanlight'
$work = Join-Path $Output 'windows'

function Invoke-Step {
    param([string] $What, [string] $Program, [string[]] $Arguments)
    Write-Host "== $What"
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$What ended with $LASTEXITCODE." }
}

if (-not $KeepBundle) {
    Invoke-Step 'the bundle' 'python' @('packaging/bundle.py', '--output', $Output)
}
# A terminal looks for .com before .exe, so that `spanlight` there is the program that writes into it.
$console = Join-Path $bundle 'spanlight-console.exe'
if (Test-Path $console) { Move-Item $console (Join-Path $bundle 'spanlight.com') -Force }
foreach ($name in 'spanlight.exe', 'spanlight.com') {
    if (-not (Test-Path (Join-Path $bundle $name))) { throw "The bundle lacks $name." }
}

& (Join-Path $PSScriptRoot 'sign.ps1') (Join-Path $bundle 'spanlight.exe') (Join-Path $bundle 'spanlight.com')

# The set-up behind bundle.py has put everything into .venv, unless Python had it already.
$python = Join-Path '.venv' 'Scripts' 'python.exe'
if (-not (Test-Path $python)) { $python = 'python' }
Invoke-Step 'the icons' $python @('packaging/desktop/icons.py', $work)
Invoke-Step 'the list of files' $python @('packaging/windows/files.py', $bundle, $work)

$makensis = (Get-Command makensis -ErrorAction SilentlyContinue).Source
if (-not $makensis) { $makensis = Join-Path ${env:ProgramFiles(x86)} 'NSIS' 'makensis.exe' }
if (-not (Test-Path $makensis)) { throw 'makensis is not here: install NSIS.' }
$defined = @(
    "-DLISTS=$(Resolve-Path $work)",
    "-DICONS=$(Resolve-Path $work)",
    "-DOUT=$(Resolve-Path $Output)"
)
# The installer and its uninstaller are signed while they are made, the latter before it is packed.
if ($env:WINDOWS_CERTIFICATE) { $defined += "-DSIGN=$(Join-Path $PSScriptRoot 'sign.ps1')" }
Invoke-Step 'the installer' $makensis (@('-WX', '-V2') + $defined + @('packaging/windows/spanlight.nsi'))
Get-ChildItem (Join-Path $Output 'spanlight-*-windows-x86_64.exe')
